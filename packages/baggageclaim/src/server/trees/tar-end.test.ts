import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tarOf } from '../../testing/tars.ts';
import { TarEnd } from './tar-end.ts';

const MIB = 2 ** 20;
const LONG = `${'directory/'.repeat(20)}file`;

/** Whether the end was noticed, with the archive in pieces of this size. */
function endOf(archive: Uint8Array, pieces = 700): boolean {
  const end = new TarEnd();
  for (let at = 0; at < archive.length; at += pieces) end.feed(archive.subarray(at, at + pieces));
  return end.reached;
}

test('[BC44] an archive is whole if its end mark is there, whatever its files hold', () => {
  const archive = tarOf({
    a: 'text',
    zeros: '\0'.repeat(5000),
    [LONG]: 'x'.repeat(513),
    link: { link: 'a' },
    none: '',
  });
  for (const pieces of [1, 511, 512, 700, 1e6]) expect(endOf(archive, pieces)).toBe(true);
  const content = archive.lastIndexOf('x') + 1;
  for (const length of [0, 512, 1000, content, Math.ceil(content / 512) * 512]) {
    expect(endOf(archive.subarray(0, length)), `${length} bytes`).toBe(false);
  }
});

test('[BC44] the end of an archive is found behind sparse files and files of many gigabytes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tar-end-'));
  try {
    const file = join(directory, 'sparse');
    // Sixty pieces of data: their places do not fit into one header.
    await writeFile(file, '');
    await truncate(file, 64 * MIB);
    const script = `for i in $(seq 60); do printf x | dd of=${file} bs=1M seek=$i conv=notrunc status=none; done`;
    execFileSync('sh', ['-c', script]);
    const sparse = execFileSync('tar', ['-C', directory, '-S', '-c', '.'], { maxBuffer: 1e9 });
    expect(endOf(sparse)).toBe(true);
    expect(endOf(sparse.subarray(0, sparse.lastIndexOf('x') + 1))).toBe(false);
  } finally {
    await rm(directory, { recursive: true });
  }
  for (const format of ['pax', 'gnu'] as const) {
    const header = headerOf(9 * 2 ** 30, format);
    const end = new TarEnd();
    end.feed(header);
    const zeros = new Uint8Array(MIB);
    for (let i = 0; i < 9 * 1024; i++) end.feed(zeros);
    expect(end.reached, format).toBe(false);
    end.feed(zeros);
    expect(end.reached, format).toBe(true);
  }
});

/** The header of a file that is too large for octal digits. */
function headerOf(size: number, format: 'pax' | 'gnu'): Buffer {
  const block = (type: string, sizeField: Buffer) => {
    const header = Buffer.alloc(512);
    header.write('file');
    sizeField.copy(header, 124);
    header.write(type, 156);
    return header;
  };
  if (format === 'gnu') {
    const field = Buffer.alloc(12);
    field.writeBigUInt64BE(BigInt(size), 4);
    field[0] = 0x80;
    return block('0', field);
  }
  const records = Buffer.alloc(512);
  const length = records.write(`19 size=${size}\n`);
  const octal = Buffer.from(`${length.toString(8).padStart(11, '0')}\0`);
  return Buffer.concat([block('x', octal), records, block('0', Buffer.from('00000000000\0'))]);
}
