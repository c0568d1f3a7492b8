import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Makes a Node look like one that is too old. */
const OLD =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.2'}})";

/** A checkout whose command prints its arguments. */
let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'seaplane-bin-'));
  const folder = join(checkout, 'packages/cli');
  for (const name of ['bin', 'src']) await mkdir(join(folder, name), { recursive: true });
  await copyFile(join(import.meta.dirname, '../bin/seaplane.mjs'), join(folder, 'bin/seaplane.mjs'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(folder, 'src/main.ts'),
    'const args: string[] = process.argv.slice(2); console.log(JSON.stringify(args)); process.exitCode = 7;',
  );
});

afterEach(() => rm(checkout, { recursive: true, force: true }));

function seaplane(...nodeFlags: string[]): SpawnSyncReturns<string> {
  const program = join(checkout, 'packages/cli/bin/seaplane.mjs');
  return spawnSync(process.execPath, [...nodeFlags, program, 'run', 'a b'], { encoding: 'utf8' });
}

test('[CLI2] a Node that is new enough runs the command itself', () => {
  expect(seaplane()).toMatchObject({ status: 7, stdout: '["run","a b"]\n', stderr: '' });
});

test('[CLI2] an older Node hands over to the installed one', async () => {
  const installed = join(checkout, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  await mkdir(installed, { recursive: true });
  await symlink(process.execPath, join(installed, 'node'));
  expect(seaplane('--import', OLD)).toMatchObject({ status: 7, stdout: '["run","a b"]\n', stderr: '' });
});

test('[CLI2] an older Node alone says what is missing', () => {
  const { status, stderr } = seaplane('--import', OLD);
  expect(status).toBe(1);
  expect(stderr).toContain('Node 24 or newer is needed, and this is Node 20.1.2. Run npm install');
});
