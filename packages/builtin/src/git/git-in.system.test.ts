import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitFixture } from '../testing/git-fixture.ts';
import { commitUrl } from './git-metadata.ts';
import { gitType } from './git-type.ts';

let repo: GitFixture;
let dest = '';
beforeEach(() => {
  repo = new GitFixture();
  dest = join(repo.dir, 'dest');
});
afterEach(() => repo[Symbol.dispose]());

function get(ref: string | undefined, { source = {}, params = {} }: { source?: object; params?: object } = {}) {
  const request = { source: { uri: repo.uri, ...source }, params: { ...params }, ...(ref && { version: { ref } }) };
  return gitType.in(repo.context, request, dest);
}

function file(path: string): string {
  return readFileSync(join(dest, path), 'utf8');
}

function inDest(...args: string[]): string {
  return execFileSync('git', args, { cwd: dest, encoding: 'utf8' }).trim();
}

test('[BT15] the version is checked out, with files about the commit', async () => {
  const first = repo.commit('a', 'subject\n\nbody');
  repo.commit('b');
  const { version, metadata } = await get(first, { source: { branch: 'main' } });
  expect(version).toEqual({ ref: first });
  expect(inDest('rev-parse', 'HEAD')).toBe(first);
  expect(existsSync(join(dest, 'b'))).toBe(false);
  expect(file('.git/ref')).toBe(`${first}\n`);
  expect(file('.git/short_ref')).toBe(first.slice(0, 7));
  expect(file('.git/committer')).toBe('author@test');
  expect(file('.git/commit_message')).toBe('subject\n\nbody\n');
  expect(file('.git/commit_timestamp')).toBe('2026-09-21 15:14:20 +0100\n');
  expect(file('.git/describe_ref')).toBe(`${first.slice(0, 7)}\n`);
  expect(JSON.parse(file('.git/metadata.json'))).toEqual(metadata);
  expect(metadata).toEqual([
    { name: 'commit', value: first },
    { name: 'author', value: 'Author' },
    { name: 'author_date', value: '2026-09-21 15:14:20 +0100', type: 'time' },
    { name: 'committer', value: 'Author' },
    { name: 'committer_date', value: '2026-09-21 15:14:20 +0100', type: 'time' },
    { name: 'message', value: 'subject\n\nbody', type: 'message' },
  ]);
});

test('[BT15] without a version the newest commit, and short_ref_format', async () => {
  const only = repo.commit('a');
  repo.tag('v1');
  const { version, metadata } = await get(undefined, { params: { short_ref_format: 'git-%s' } });
  expect(version).toEqual({ ref: only });
  expect(file('.git/short_ref')).toBe(`git-${only.slice(0, 7)}`);
  expect(metadata).toContainEqual({ name: 'branch', value: 'main' });
  expect(metadata).toContainEqual({ name: 'tags', value: 'v1' });
});

test('[BT15] a tag is a version, too', async () => {
  const first = repo.commit('a');
  repo.tag('v1');
  repo.commit('b');
  const version = { ref: 'v1', commit: first };
  const source = { uri: repo.uri, tag_filter: 'v*' };
  expect((await gitType.in(repo.context, { source, params: {}, version }, dest)).version).toEqual(version);
  expect(inDest('rev-parse', 'HEAD')).toBe(first);
  expect(file('.git/ref')).toBe('v1\n');
});

test('[BT16] depth: a shallow clone that is deepened until it has the version', async () => {
  const commits = ['a', 'b', 'c', 'd', 'e'].map((path) => repo.commit(path));
  await get(commits[1], { params: { depth: 1 } });
  expect(inDest('rev-parse', 'HEAD')).toBe(commits[1]);
  expect(inDest('rev-parse', '--is-shallow-repository')).toBe('true');
});

test('[BT16] fetch_tags and clean_tags', async () => {
  repo.commit('a');
  repo.git(repo.work, 'checkout', '--quiet', '-b', 'side');
  repo.commit('b', 'side', { branch: 'side' });
  repo.tag('elsewhere');
  repo.git(repo.work, 'checkout', '--quiet', 'main');
  const here = repo.commit('c');
  repo.tag('here');
  const tags = async (options: object) => {
    await get(here, options);
    const found = inDest('tag').split('\n').filter(Boolean);
    execFileSync('rm', ['-rf', dest]);
    return found;
  };
  expect(await tags({})).toEqual(['here']);
  expect(await tags({ params: { fetch_tags: true } })).toEqual(['elsewhere', 'here']);
  expect(await tags({ source: { fetch_tags: true } })).toEqual(['elsewhere', 'here']);
  expect(await tags({ params: { fetch_tags: false } })).toEqual([]);
  expect(await tags({ params: { clean_tags: true } })).toEqual([]);
});

test('[BT16] fetch and sparse_paths', async () => {
  repo.commit('docs/a');
  const main = repo.commit('src/a');
  const side = repo.commit('b', 'side', { branch: 'side' });
  await get(main, { source: { branch: 'main', sparse_paths: ['src'] }, params: { fetch: ['side'] } });
  expect(inDest('rev-parse', 'side')).toBe(side);
  expect([existsSync(join(dest, 'src/a')), existsSync(join(dest, 'docs/a'))]).toEqual([true, false]);
});

test('[BT17] submodules: all, none or some', async () => {
  using other = new GitFixture();
  other.commit('inside');
  const allow = ['-c', 'protocol.file.allow=always'];
  repo.commit('a');
  for (const path of ['one', 'libs/two']) repo.git(repo.work, ...allow, 'submodule', '--quiet', 'add', other.uri, path);
  const ref = repo.commit('b');
  const source = { git_config: [{ name: 'protocol.file.allow', value: 'always' }] };
  const present = async (params: object) => {
    await get(ref, { source, params });
    const found = ['one', 'libs/two'].filter((path) => existsSync(join(dest, path, 'inside')));
    execFileSync('rm', ['-rf', dest]);
    return found;
  };
  expect(await present({})).toEqual(['one', 'libs/two']);
  expect(await present({ submodules: 'all', submodule_recursive: false, depth: 1 })).toEqual(['one', 'libs/two']);
  expect(await present({ submodules: ['libs/two'] })).toEqual(['libs/two']);
  expect(await present({ submodules: 'none' })).toEqual([]);
  const newer = other.commit('later');
  await get(ref, { source, params: { submodule_remote: true } });
  expect(repo.git(join(dest, 'one'), 'rev-parse', 'HEAD')).toBe(newer);
});

test('[BT18] a commit that is not signed by one of the keys is refused', async () => {
  const ref = repo.commit('a');
  const home = join(repo.dir, 'gpg');
  mkdirSync(home, { mode: 0o700 });
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], { encoding: 'utf8' });
  gpg('--passphrase', '', '--quick-generate-key', 'Signer <signer@test>', 'ed25519', 'sign');
  const key = gpg('--armor', '--export');
  const source = { commit_verification_keys: [key] };
  await expect(get(ref, { source })).rejects.toThrow(`the commit ${ref} is not signed by one of the keys`);
});

test('[BT1] unknown params and odd versions are refused', async () => {
  repo.commit('a');
  await expect(get(undefined, { params: { detph: 1 } })).rejects.toThrow('unknown field params.detph');
  await expect(get('--help')).rejects.toThrow('not a version');
});

test.each([
  ['https://github.com/a/b.git', 'https://github.com/a/b/commit/X'],
  ['git@github.com:a/b.git', 'https://github.com/a/b/commit/X'],
  ['https://user:secret@gitlab.test/a/b/c', 'https://gitlab.test/a/b/c/-/commit/X'],
  ['ssh://git@bitbucket.org/a/b', 'https://bitbucket.org/a/b/commits/X'],
  ['https://git.test/a/b', undefined],
  ['/srv/github/a', undefined],
])('[BT15] the page of a commit of %s', (origin, expected) => {
  expect(commitUrl(origin, 'X')).toBe(expected);
});
