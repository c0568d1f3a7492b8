import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, expect } from 'vitest';

const test = anyTest.skipIf(whyNoRoot());

test('[BC12] a volume that is mounted in a directory remains when the directory is emptied', () => {
  const dir = mkdtempSync(join(tmpdir(), 'mounted-'));
  mkdirSync(join(dir, 'in/sub'), { recursive: true });
  const script = `
    import { emptyDirectory } from '${join(import.meta.dirname, 'empty-directory.ts')}';
    await emptyDirectory('${dir}/in');`;
  const mount = `mount -t tmpfs tmpfs ${dir}/in/sub && touch ${dir}/in/file ${dir}/in/sub/file && "$@" && find ${dir}/in -printf '%P\n'`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const left = execFileSync('unshare', ['-m', 'sh', '-c', mount, 'sh', ...node], { encoding: 'utf8' });
  expect(left.trim().split('\n')).toEqual(['sub']);
  rmSync(dir, { recursive: true });
});
