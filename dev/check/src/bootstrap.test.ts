import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** A checkout with nothing installed, and an npm that only tells what it was asked. */
let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  for (const folder of ['dev', 'bin', 'node_modules', '.seaplane']) await mkdir(join(checkout, folder));
  await copyFile(join(import.meta.dirname, '../../bootstrap.mjs'), join(checkout, 'dev/bootstrap.mjs'));
  await writeFile(join(checkout, 'package-lock.json'), '{}');
  await writeFile(
    join(checkout, 'entry.mjs'),
    'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;',
  );
  await writeFile(join(checkout, 'bin/npm'), '#!/bin/sh\necho "npm $1" >&2\nexit ${NPM_STATUS:-0}\n', { mode: 0o755 });
});

afterEach(() => rm(checkout, { recursive: true, force: true }));

function bootstrap(env: NodeJS.ProcessEnv = {}) {
  const { npm_execpath: _, ...inherited } = process.env;
  const path = [join(checkout, 'bin'), process.env['PATH']].join(delimiter);
  return spawnSync(process.execPath, [join(checkout, 'dev/bootstrap.mjs'), 'entry.mjs', '--flag', 'a b'], {
    env: { ...inherited, PATH: path, ...env },
    encoding: 'utf8',
  });
}

const lock = () => join(checkout, '.seaplane/install.lock');

test('installs once, then runs the entry with its arguments and exit status', async () => {
  const first = bootstrap();
  expect(first).toMatchObject({ status: 7, stdout: '["--flag","a b"]\n' });
  expect(first.stderr).toContain('npm install');
  expect(bootstrap().stderr).toBe('');
  await writeFile(join(checkout, 'package-lock.json'), '{"changed": true}');
  expect(bootstrap().stderr).toContain('npm install');
});

test('when npm fails nothing runs, no lock is left, and the next command tries again', async () => {
  const failed = bootstrap({ NPM_STATUS: '3' });
  expect(failed).toMatchObject({ status: 1, stdout: '' });
  expect(failed.stderr).toContain('npm install failed');
  expect(existsSync(lock())).toBe(false);
  expect(bootstrap().status).toBe(7);
});

test.runIf(existsSync('/proc/self/stat'))('a lock whose pid was given to another process keeps nobody', async () => {
  await writeFile(lock(), `${process.pid} 1`); // this process did not start with the machine
  expect(bootstrap().status).toBe(7);
  expect(existsSync(lock())).toBe(false);
});
