import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readablePath } from './readable-path.ts';

let scratch = '';
beforeAll(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'readable-')));
  await mkdir(join(scratch, 'build/dir'), { recursive: true });
  await writeFile(join(scratch, 'build/dir/file'), '');
  await writeFile(join(scratch, 'secret'), '');
  await symlink('dir/file', join(scratch, 'build/within'));
  await symlink('../secret', join(scratch, 'build/out'));
  await symlink('..', join(scratch, 'build/up'));
  await symlink('nowhere', join(scratch, 'build/dangling'));
  execFileSync('mkfifo', [join(scratch, 'build/pipe')]);
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const read = (path: string) => readablePath(join(scratch, path), join(scratch, 'build'));

test('[BC15] files, directories, and links that stay inside', async () => {
  expect(await read('build/dir')).toEqual({ path: join(scratch, 'build/dir'), kind: 'directory' });
  expect(await read('build/dir/file')).toMatchObject({ kind: 'file' });
  expect(await read('build/within')).toEqual({ path: join(scratch, 'build/dir/file'), kind: 'file' });
});

test.each(['build/out', 'build/up/secret', 'build/../secret', 'secret'])('[BC15] %s leads out', async (path) => {
  await expect(read(path)).rejects.toMatchObject({ code: 'forbidden' });
});

test.each(['build/none', 'build/dir/file/below', 'build/dangling'])('[BC15] %s does not exist', async (path) => {
  await expect(read(path)).rejects.toMatchObject({ code: 'not-found' });
});

test('[BC15] a pipe is neither file nor directory', async () => {
  expect(await read('build/pipe')).toMatchObject({ kind: 'other' });
});

test('[BC15] a relative path is refused', async () => {
  await expect(readablePath('dir', '/')).rejects.toMatchObject({ code: 'bad-request' });
});
