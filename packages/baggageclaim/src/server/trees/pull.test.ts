import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNodeRuntime } from '../runtime/node.ts';
import { emptyDirectory } from './empty-directory.ts';
import { pullTree } from './pull.ts';

test('[BC13] each source is unpacked into an empty directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pull-'));
  const archive = (name: string) => execFileSync('tar', ['-C', dir, '-c', '--transform', `s,.*,${name},`, '.']);
  const served: Record<string, Buffer> = { first: archive('half').subarray(0, 512), second: archive('whole') };
  const pull = async ({ url }: { url: string }) =>
    new Blob([served[new URL(url).host] as Buffer<ArrayBuffer>]).stream() as ReadableStream<Uint8Array>;
  const sources = ['https://first/', 'https://second/'].map((url) => ({
    url,
    token: 'x',
    server: { name: 'x', authority: '' },
  }));
  const into = { path: dir, empty: () => emptyDirectory(dir) };
  await pullTree({ runtime: createNodeRuntime(), pull }, sources, into, new AbortController().signal);
  expect(await readdir(dir)).toEqual(['whole']);
  await rm(dir, { recursive: true });
});

test('[BC13] a source on this machine is copied; if that fails, the tree is pulled into an empty directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pull-'));
  const whole = execFileSync('tar', ['-C', dir, '-c', '--transform', 's,.*,whole,', '.']);
  const pull = async () => new Blob([whole as Buffer<ArrayBuffer>]).stream() as ReadableStream<Uint8Array>;
  const source = { url: 'https://here/', token: 'x', server: { name: 'x', authority: '' } };
  const into = { path: dir, empty: () => emptyDirectory(dir) };
  const { signal } = new AbortController();
  const parts = { runtime: createNodeRuntime(), pull };
  const copyOf = (name: string) => async (_: unknown, path: string) => {
    await writeFile(join(path, name), '');
    if (name === 'half') throw new Error('the disk failed');
    return true;
  };
  await pullTree({ ...parts, copyHere: copyOf('copy') }, [source], into, signal);
  expect(await readdir(dir)).toEqual(['copy']);
  await into.empty();
  await pullTree({ ...parts, copyHere: copyOf('half') }, [source], into, signal);
  expect(await readdir(dir)).toEqual(['whole']);
  await rm(dir, { recursive: true });
});
