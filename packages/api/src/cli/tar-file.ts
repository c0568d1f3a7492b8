import { ByteReader } from '../http/byte-reader.ts';

const BLOCK = 512;

export interface TarFile {
  readonly size: number;
  readonly modifiedAt: Date;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Finds a plain file of a tar stream by its name. Skips the entries before it, and does not read those after it. */
export async function findInTar(source: AsyncIterable<Uint8Array>, name: string): Promise<TarFile | undefined> {
  const reader = new ByteReader(source);
  for (;;) {
    const header = await reader.read(BLOCK);
    if (!header || header.every((byte) => byte === 0)) {
      await reader.close();
      return undefined;
    }
    const size = number(header, 124, 12);
    if (text(header, 0, 100).replace(/^\.\//, '') === name && ['0', ''].includes(text(header, 156, 1))) {
      return { size, modifiedAt: new Date(number(header, 136, 12) * 1000), content: contentOf(reader, size) };
    }
    for await (const _ of reader.stream(Math.ceil(size / BLOCK) * BLOCK));
  }
}

async function* contentOf(reader: ByteReader, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* reader.stream(size);
  } finally {
    await reader.close();
  }
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString();
}

/** Tar headers hold numbers in octal. */
function number(header: Buffer, at: number, length: number): number {
  return Number.parseInt(text(header, at, length).trim(), 8) || 0;
}
