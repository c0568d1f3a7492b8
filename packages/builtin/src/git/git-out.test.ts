import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitType } from './git-type.ts';

let sources = '';
beforeEach(() => {
  sources = mkdtempSync(join(tmpdir(), 'git-out-'));
});
afterEach(() => rmSync(sources, { recursive: true }));

function put(repository: string) {
  const request = { source: { uri: 'file:///none', branch: 'main' }, params: { repository } };
  const context = { log: () => {}, signal: new AbortController().signal, now: () => 0, env: process.env };
  return gitType.out(context, request, sources);
}

test('[BT23] a put from a directory that is not there names the directory, and those that are', async () => {
  const missing = "there is no directory 'repo/sub' (params.repository)";
  await expect(put('repo/sub')).rejects.toThrow(`${missing}: the step has no inputs`);
  mkdirSync(join(sources, 'repo'));
  mkdirSync(join(sources, 'other'));
  await expect(put('repo/sub')).rejects.toThrow(`${missing}: the step has other, repo`);
});

test('[BT23] a file is not a directory', async () => {
  writeFileSync(join(sources, 'repo'), '');
  await expect(put('repo')).rejects.toThrow("there is no directory 'repo' (params.repository)");
});
