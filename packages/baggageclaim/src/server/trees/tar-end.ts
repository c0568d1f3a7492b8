const BLOCK = 512;
/** Header fields of a tar archive: https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const SIZE = { at: 124, length: 12 } as const;
const TYPE_AT = 156;
const SPARSE_GOES_ON_AT = { header: 482, extension: 504 } as const;
/** Longer records of the next file have no size in them. */
const MOST_RECORDS = 1024 * 1024;

/** Follows a tar stream and notices its end mark: a block of zeros in the place of a header. Only a whole archive has one. */
export class TarEnd {
  #block = Buffer.alloc(BLOCK);
  #filled = 0;
  /** Of the file that is being passed. */
  #left = 0;
  /** Blocks with the holes of a file follow its header, and then these bytes. */
  #afterHoles: number | undefined;
  /** The records of the next file, while they are being read. */
  #records: Buffer[] | undefined;
  #nextSize: number | undefined;
  #reached = false;

  get reached(): boolean {
    return this.#reached;
  }

  feed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#reached; ) {
      if (this.#left > 0) {
        const count = Math.min(this.#left, bytes.length - at);
        this.#records?.push(Buffer.from(bytes.subarray(at, at + count)));
        this.#left -= count;
        at += count;
        continue;
      }
      const count = Math.min(BLOCK - this.#filled, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === BLOCK) this.#take(this.#block);
    }
  }

  #take(block: Buffer): void {
    this.#filled = 0;
    this.#readRecords();
    if (this.#afterHoles !== undefined) {
      if (block[SPARSE_GOES_ON_AT.extension]) return;
      this.#left = this.#afterHoles;
      this.#afterHoles = undefined;
      return;
    }
    this.#reached = block.every((byte) => byte === 0);
    if (this.#reached) return;
    const type = String.fromCharCode(block[TYPE_AT] ?? 0);
    const isOfNext = 'xgLK'.includes(type);
    const size = (isOfNext ? undefined : this.#nextSize) ?? sizeIn(block);
    if (!isOfNext) this.#nextSize = undefined;
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'x' && size <= MOST_RECORDS) this.#records = [];
    if (type === 'S' && block[SPARSE_GOES_ON_AT.header]) this.#afterHoles = padded;
    else this.#left = padded;
  }

  /** Records such as `20 size=8589934592`. */
  #readRecords(): void {
    if (!this.#records) return;
    const [, size] = /^\d+ size=(\d+)$/m.exec(Buffer.concat(this.#records).toString('latin1')) ?? [];
    this.#records = undefined;
    if (size !== undefined) this.#nextSize = Number(size);
  }
}

/** Octal digits or, if the first bit is set, a big-endian number. */
function sizeIn(block: Buffer): number {
  const field = block.subarray(SIZE.at, SIZE.at + SIZE.length);
  if (!((field[0] ?? 0) & 0x80)) return Number.parseInt(field.toString('latin1').trim() || '0', 8) || 0;
  return Number(BigInt(`0x${field.subarray(1).toString('hex')}`));
}
