import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { committedResults, readResults, writeBrowserResults, writeResults } from './files.ts';
import { mergeResults } from './results.ts';

const results = mergeResults('suite', ['one'], [{ name: 'one', state: 'pass', seconds: 1, reason: null }], 2);
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'conformance-files-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('[CONF10] the page is made of every host that has results, the one just written among them', async () => {
  const files = { directory: join(root, 'docs'), hosts: ['kubernetes', 'local', 'concourse'] };
  expect(await readResults(files, 'local')).toBeUndefined();
  await writeResults(files, 'concourse', results, []);
  await writeResults(files, 'local', results, []);
  expect(await readResults(files, 'local')).toEqual(results);
  expect(await readFile(join(root, 'docs/conformance.md'), 'utf8')).toContain('| spec | local | concourse |');
});

test('[CONF31] the page has the browser tests of the last run, also after another run of the suite', async () => {
  const files = { directory: join(root, 'docs'), hosts: ['local'] };
  const tests = [
    { name: 'smoke › reaching the internet', passed: false },
    { name: 'build › a | b', passed: true },
    { name: 'login › other', passed: false },
  ];
  await writeBrowserResults(files, { host: 'local', tests }, []);
  await writeResults(files, 'local', results, []);
  const page = await readFile(join(root, 'docs/conformance.md'), 'utf8');
  expect(page).toContain('in Chromium on the host *local*: **1** of 3 passed.');
  expect(page).toContain(
    '| build › a \\| b | pass |\n| login › other | fail |\n| smoke › reaching the internet | fail: it needs',
  );
});

test('[CONF8] the committed results are those of the last commit, not those on disk', async () => {
  expect(await committedResults(root, 'local')).toBeUndefined();
  const git = (...args: string[]) =>
    run('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args]);
  await git('init', '-q');
  expect(await committedResults(root, 'local')).toBeUndefined();
  await mkdir(join(root, 'docs/conformance'), { recursive: true });
  await writeFile(join(root, 'docs/conformance/local.json'), JSON.stringify(results));
  await git('add', '.');
  await git('commit', '-qm', 'results');
  await writeFile(join(root, 'docs/conformance/local.json'), 'changed');
  expect(await committedResults(root, 'local')).toEqual(results);
  expect(await committedResults(root, 'kubernetes')).toBeUndefined();
});
