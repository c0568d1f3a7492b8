import { mkdtemp, open, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { streamOf } from '../../testing/tars.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { measureTree } from './measure-tree.ts';
import { pack, unpack } from './tar.ts';

const MIB = 2 ** 20;
const runtime = createNodeRuntime();
let [from, to] = ['', ''];
beforeEach(async () => {
  [from, to] = [await mkdtemp(join(tmpdir(), 'from-')), await mkdtemp(join(tmpdir(), 'to-'))];
});
afterEach(async () => {
  for (const dir of [from, to]) await rm(dir, { recursive: true });
});

test('[BC30] the holes of a file are neither sent nor written', async () => {
  await using file = await open(join(from, 'sparse'), 'w');
  await file.write('middle', 50 * MIB);
  await truncate(join(from, 'sparse'), 100 * MIB);
  const archive = Buffer.from(await new Response(pack(runtime, from)).arrayBuffer());
  expect(archive.length).toBeLessThan(MIB);
  await unpack(runtime, streamOf(archive), to);
  const { size, blocks } = await stat(join(to, 'sparse'));
  expect(size).toBe(100 * MIB);
  expect(blocks * 512).toBeLessThan(MIB);
  await using copy = await open(join(to, 'sparse'));
  const { buffer } = await copy.read(Buffer.alloc(8), 0, 8, 50 * MIB);
  expect(buffer.toString()).toBe('middle\0\0');
  expect(await measureTree(to)).toEqual({ diskBytes: blocks * 512, apparentBytes: 100 * MIB });
});
