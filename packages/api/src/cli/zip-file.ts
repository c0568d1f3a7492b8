import { open } from 'node:fs/promises';
import { createInflateRaw } from 'node:zlib';
import type { TarFile } from './tar-file.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** The end of the archive may be followed by a comment of this length. */
const LONGEST_COMMENT = 65_535;
const STORED = 0;

/** Finds a file of a zip archive by its name. */
export async function findInZip(path: string, name: string): Promise<TarFile | undefined> {
  await using file = await open(path);
  const { size: length, mtime } = await file.stat();
  const read = async (at: number, bytes: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
    return buffer.subarray(0, bytesRead);
  };
  const tailBytes = Math.min(length, END_BYTES + LONGEST_COMMENT);
  const tail = await read(length - tailBytes, tailBytes);
  const end = tail.lastIndexOf(littleEndian(END));
  if (end < 0 || tail.length - end < END_BYTES) throw new Error(`${path} is not a zip archive`);
  const directory = await read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  for (let at = 0; at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ENTRY; ) {
    const nameEnd = at + ENTRY_BYTES + directory.readUInt16LE(at + 28);
    if (directory.toString('utf8', at + ENTRY_BYTES, nameEnd) === name) {
      const [method, packed, size] = [at + 10, at + 20, at + 24];
      const header = directory.readUInt32LE(at + 42);
      const local = await read(header, LOCAL_BYTES);
      const start = header + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
      const content = contentOf(path, start, directory.readUInt32LE(packed), directory.readUInt16LE(method));
      return { size: directory.readUInt32LE(size), modifiedAt: mtime, content };
    }
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return undefined;
}

async function* contentOf(path: string, start: number, bytes: number, method: number): AsyncGenerator<Uint8Array> {
  await using file = await open(path);
  const packed = file.createReadStream({ start, end: start + bytes - 1, autoClose: false });
  if (method === STORED) {
    yield* packed as AsyncIterable<Uint8Array>;
    return;
  }
  const inflate = createInflateRaw();
  packed.on('error', (error) => inflate.destroy(error));
  yield* packed.pipe(inflate) as AsyncIterable<Uint8Array>;
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
