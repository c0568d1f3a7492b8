import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Results } from './report/results.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const SPEC = 'A pipeline containing a do performs the do steps';
/** The first run builds fly and the suite. */
const BUILD_TIMEOUT_MS = 900_000;
let out: string;

beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'conformance-out-'));
});
afterEach(() => rm(out, { recursive: true, force: true }));

async function conformance(...args: string[]) {
  return run(process.execPath, [MAIN, ...args, '--out', out], { ok: 'any' });
}

async function results(host: string): Promise<Results> {
  return JSON.parse(await readFile(join(out, 'conformance', `${host}.json`), 'utf8')) as Results;
}

test('[CONF13] [CONF15] the spec in focus is reported as what it is, and no other', {
  timeout: BUILD_TIMEOUT_MS,
}, async () => {
  const { code, stdout } = await conformance('--host', 'kubernetes', '--focus', `^${SPEC}$`);
  const { total, passed, specs } = await results('kubernetes');
  expect(total).toBe(124);
  expect(specs).toHaveLength(124);
  expect(specs.filter(({ reason }) => reason !== 'never run on this host')).toEqual([
    {
      name: SPEC,
      state: 'fail',
      seconds: 0,
      reason: expect.stringMatching(/^web answers 404 to GET \/api\/v1\/info: the API is not there yet/),
    },
  ]);
  expect(passed).toBe(0);
  expect(stdout).toBe('kubernetes: ran 1, of which 0 passed\nkubernetes: 0 of 124 passed\n');
  expect(code).toBe(0);
  expect(await readFile(join(out, 'conformance.md'), 'utf8')).toContain(`| ${SPEC} | fail: web answers 404`);
});

test('[CONF12] a pattern that no spec matches starts no host and writes nothing', {
  timeout: BUILD_TIMEOUT_MS,
}, async () => {
  const { code, stderr } = await conformance('--host', 'local', '--focus', 'no such spec');
  expect(code).toBe(2);
  expect(stderr).toContain("no spec's name or file matches --focus no such spec");
  expect(stderr).not.toContain('starting local');
  expect(await readdir(out)).toEqual([]);
});
