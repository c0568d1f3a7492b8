import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Content, openContent, readBlob, writeBlob, writeDocument } from './content.ts';
import { type Digest, parseDigest } from './descriptor.ts';

const HELLO = { digest: 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', size: 5 } as const;
let content: Content;

beforeAll(async () => {
  content = await openContent(await mkdtemp(join(tmpdir(), 'oci-content-')));
});
afterAll(() => rm(content.dir, { recursive: true, force: true }));

async function files(): Promise<string[]> {
  return (await readdir(content.dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

test('[OCI9] a failing source leaves nothing', async () => {
  async function* torn() {
    yield Buffer.from('hel');
    throw new Error('cut');
  }
  await expect(writeBlob(content, Readable.from(torn()))).rejects.toThrow('cut');
  expect(await files()).toEqual([]);
});

test('[OCI9] content that is not what was expected leaves nothing', async () => {
  for (const expected of [
    { ...HELLO, size: 6 },
    { ...HELLO, digest: `sha256:${'0'.repeat(64)}` as Digest },
  ]) {
    const write = writeBlob(content, Readable.from([Buffer.from('hello')]), expected);
    await expect(write).rejects.toMatchObject({ code: 'digest-mismatch' });
  }
  expect(await files()).toEqual([]);
});

test('[OCI9] a complete blob is found under its digest, also when it is written twice at once', async () => {
  const written = await Promise.all([writeDocument(content, 'hello'), writeDocument(content, 'hello')]);
  expect(written).toEqual([HELLO, HELLO]);
  expect(await files()).toEqual([HELLO.digest.slice(7)]);
  const { size, stream } = await readBlob(content, HELLO.digest);
  expect(size).toBe(5);
  expect(await text(stream)).toBe('hello');
});

test('[OCI10] only digests become paths', async () => {
  for (const bad of [
    '',
    'sha256:',
    `sha256:../${'a'.repeat(61)}`,
    `sha256:${'A'.repeat(64)}`,
    `sha512:${'a'.repeat(64)}`,
  ]) {
    expect(() => parseDigest(bad)).toThrowError(expect.objectContaining({ code: 'bad-digest' }));
    await expect(readBlob(content, bad as Digest)).rejects.toMatchObject({ code: 'bad-digest' });
  }
  await expect(readBlob(content, `sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({ code: 'unknown-blob' });
});
