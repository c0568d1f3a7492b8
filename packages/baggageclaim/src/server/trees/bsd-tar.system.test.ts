import { lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { test as anyTest, beforeAll, expect } from 'vitest';
import { streamOf, tarOf } from '../../testing/tars.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { pack, unpack } from './tar.ts';

const why = whyNoPackages(['libarchive-tools']);
const test = anyTest.skipIf(why);
const runtime = createNodeRuntime();

beforeAll(async () => {
  if (!why) await ensureDebianPackages(['libarchive-tools'], stderrProgress('test'));
});

test.each([
  ['gnu', 'bsd'],
  ['bsd', 'gnu'],
  ['bsd', 'bsd'],
] as const)('[BC44] the trees that %s tar packs are what %s tar unpacks', async (packer, unpacker) => {
  const root = await mkdtemp(join(tmpdir(), 'bsd-tar-'));
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  try {
    await mkdir(join(from, 'd'.repeat(120)), { recursive: true });
    await mkdir(to);
    await writeFile(join(from, 'program'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(join(from, 'd'.repeat(120), 'ä file'), 'text');
    await symlink('program', join(from, 'link'));
    await unpack(runtime, pack(runtime, from, packer), to, unpacker);
    expect(await readFile(join(to, 'd'.repeat(120), 'ä file'), 'utf8')).toBe('text');
    expect((await lstat(join(to, 'program'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(to, 'link'))).toBe('program');
  } finally {
    await rm(root, { recursive: true });
  }
});

test('[BC44] an archive that is cut, also between two files, is refused by the tar of macOS, too', async () => {
  const to = await mkdtemp(join(tmpdir(), 'bsd-tar-'));
  try {
    const archive = tarOf({ a: 'x'.repeat(3000), b: 'y'.repeat(3000) });
    for (const length of [archive.indexOf('y') + 10, Math.ceil(archive.lastIndexOf('y') / 512) * 512]) {
      const cut = Buffer.from(archive.subarray(0, length));
      await expect(unpack(runtime, streamOf(cut), to, 'bsd')).rejects.toThrow();
    }
    await unpack(runtime, streamOf(archive), to, 'bsd');
    expect((await readFile(join(to, 'b'))).length).toBe(3000);
  } finally {
    await rm(to, { recursive: true });
  }
});
