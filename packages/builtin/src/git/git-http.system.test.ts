import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitFixture } from '../testing/git-fixture.ts';
import { GitHttpServer } from '../testing/git-http-server.ts';
import { gitType } from './git-type.ts';

const user = { username: 'someone', password: "it's a $secret" };
let repo: GitFixture;
let server: GitHttpServer;
beforeEach(async () => {
  repo = new GitFixture();
  server = await GitHttpServer.start(repo.dir, user);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  repo[Symbol.dispose]();
});

test('[BT14] check, in and out over HTTP with a password', async () => {
  const ref = repo.commit('a');
  const source = { uri: `${server.url}/remote.git`, branch: 'main', ...user };
  expect(await gitType.check(repo.context, { source, params: {} })).toEqual([{ ref }]);
  const dest = join(repo.dir, 'sources/mine');
  await gitType.in(repo.context, { source, params: { depth: 1 }, version: { ref } }, dest);
  expect(execFileSync('git', ['config', '--list'], { cwd: dest, encoding: 'utf8' })).not.toContain('secret');
  const newer = repo.commit('b', 'mine', { cwd: dest });
  await gitType.out(repo.context, { source, params: { repository: 'mine' } }, join(repo.dir, 'sources'));
  expect(repo.remote('main')).toBe(newer);
});

test('[BT14] without the password git fails and does not ask for one', async () => {
  repo.commit('a');
  const source = { uri: `${server.url}/remote.git`, ...user, password: 'wrong' };
  await expect(gitType.check(repo.context, { source, params: {} })).rejects.toThrow('git clone failed');
  expect(repo.logged.join('\n')).toMatch(/Authentication failed|could not read/);
});

test('[BT14] credential_hosts limits where the password goes, and submodules have their own', async () => {
  const ref = repo.commit('a');
  const uri = `${server.url}/remote.git`;
  const source = { uri, ...user, credential_hosts: ['elsewhere.test'] };
  await expect(gitType.check(repo.context, { source, params: {} })).rejects.toThrow('git clone failed');
  const allowed = { ...source, credential_hosts: [new URL(server.url).host] };
  expect(await gitType.check(repo.context, { source: allowed, params: {} })).toEqual([{ ref }]);
  using outer = new GitFixture();
  outer.commit('a');
  // Not over HTTP: this process must answer while git waits.
  outer.git(outer.work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repo.uri, 'sub');
  outer.git(outer.work, 'config', '--file', '.gitmodules', 'submodule.sub.url', uri);
  const version = { ref: outer.commit('b') };
  const submodule_credentials = [{ host: new URL(server.url).host, ...user }];
  const dest = join(outer.dir, 'dest');
  await gitType.in(outer.context, { source: { uri: outer.uri, submodule_credentials }, params: {}, version }, dest);
  expect(existsSync(join(dest, 'sub/a'))).toBe(true);
});
