/** Reads a stream of chunks by the number of bytes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Exactly this many bytes. Undefined if the stream ends before. */
  async read(length: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    const bytes = Buffer.concat(parts);
    return bytes.length === length ? bytes : undefined;
  }

  /** The next bytes as they come, at most this many. */
  async *stream(length: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) return;
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
