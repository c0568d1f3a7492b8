import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitFixture } from '../testing/git-fixture.ts';
import { gitType } from './git-type.ts';

let repo: GitFixture;
let sources = '';
let mine = '';
beforeEach(() => {
  repo = new GitFixture();
  sources = join(repo.dir, 'sources');
  mine = join(sources, 'mine');
  mkdirSync(sources);
  repo.commit('base');
  repo.git(repo.dir, 'clone', '--quiet', repo.bare, mine);
});
afterEach(() => repo[Symbol.dispose]());

function put(params: object, source: object = { branch: 'main' }) {
  const request = { source: { uri: repo.uri, ...source }, params: { repository: 'mine', ...params } };
  return gitType.out(repo.context, request, sources);
}

test('[BT20] the commit is pushed to the branch, and is the version', async () => {
  const ref = repo.commit('new', 'mine', { cwd: mine });
  const { version, metadata } = await put({});
  expect(version).toEqual({ ref });
  expect(metadata).toContainEqual({ name: 'commit', value: ref });
  expect(repo.remote('main')).toBe(ref);
});

test('[BT20] a branch that has moved refuses the push, unless it is forced', async () => {
  const theirs = repo.commit('theirs');
  const ref = repo.commit('new', 'mine', { cwd: mine });
  await expect(put({})).rejects.toThrow('the push was rejected: the branch has other commits');
  expect(repo.remote('main')).toBe(theirs);
  await put({ force: true });
  expect(repo.remote('main')).toBe(ref);
});

test('[BT20] params.branch counts more than the source, and is part of the version', async () => {
  const ref = repo.commit('new', 'mine', { cwd: mine });
  expect((await put({ branch: 'topic' })).version).toEqual({ branch: 'topic', ref });
  expect(repo.remote('topic')).toBe(ref);
  await put({ refs_prefix: 'refs/for' });
  expect(repo.remote('refs/for/main')).toBe(ref);
});

test('[BT21] rebase puts the commits on top of the others', async () => {
  const theirs = repo.commit('theirs');
  const before = repo.commit('new', 'mine', { cwd: mine });
  const { version } = await put({ rebase: true });
  expect(version['ref']).not.toBe(before);
  expect(repo.remote('main')).toBe(version['ref']);
  expect(repo.remote('main~1')).toBe(theirs);
});

test('[BT21] rebase tries again when somebody pushes meanwhile', async () => {
  repo.commit('new', 'mine', { cwd: mine });
  const hook = join(mine, '.git/hooks/pre-push'); // runs between the look and the push
  mkdirSync(join(mine, '.git/hooks'), { recursive: true });
  const once = `test -e ${repo.dir}/done && exit 0; touch ${repo.dir}/done; cd ${repo.work} && `;
  const commit =
    'git -c user.name=x -c user.email=x@test commit --quiet --allow-empty -m race && git push --quiet origin main';
  writeFileSync(hook, `#!/bin/sh\nunset GIT_DIR; ${once}${commit}\n`, { mode: 0o755 });
  const { version } = await put({ rebase: true });
  expect(repo.remote('main')).toBe(version['ref']);
  expect(repo.git(repo.bare, 'log', '--format=%s', 'main').split('\n').slice(0, 2)).toEqual(['mine', 'race']);
});

test('[BT21] merge, and which commit is the version', async () => {
  const theirs = repo.commit('theirs');
  const ref = repo.commit('new', 'mine', { cwd: mine });
  const merged = await put({ merge: true });
  expect(repo.remote('main')).toBe(merged.version['ref']);
  expect([repo.remote('main^1'), repo.remote('main^2')]).toEqual([ref, theirs]);
  repo.git(repo.work, 'pull', '--quiet', 'origin', 'main');
  repo.commit('more');
  const own = repo.commit('again', 'mine', { cwd: mine });
  expect((await put({ merge: true, returning: 'unmerged' })).version).toEqual({ ref: own });
});

test('[BT22] tags: with a prefix, with a message, and only tags', async () => {
  writeFileSync(join(sources, 'version'), '1.2.3\n');
  writeFileSync(join(sources, 'words'), 'a release\n');
  const before = repo.remote('main');
  const ref = repo.commit('new', 'mine', { cwd: mine });
  await put({ tag: 'version', tag_prefix: 'v', only_tag: true }, {});
  expect([repo.remote('v1.2.3'), repo.remote('main')]).toEqual([ref, before]);
  await put({ tag: 'version', annotate: 'words' });
  expect([repo.remote('1.2.3'), repo.remote('main')]).toEqual([ref, ref]);
  expect(repo.git(repo.bare, 'cat-file', '-t', 'refs/tags/1.2.3')).toBe('tag');
  expect(repo.git(repo.bare, 'for-each-ref', '--format=%(contents:subject)', 'refs/tags/1.2.3')).toBe('a release');
});

test('[BT21] a tag that is there already does not make a rebase go on for ever', async () => {
  writeFileSync(join(sources, 'version'), 'v1');
  repo.tag('v1');
  repo.commit('new', 'mine', { cwd: mine });
  await expect(put({ rebase: true, tag: 'version' })).rejects.toThrow('the push failed');
});

test('[BT22] notes', async () => {
  writeFileSync(join(sources, 'notes'), 'well done\n');
  const ref = repo.commit('new', 'mine', { cwd: mine });
  await put({ notes: 'notes' });
  expect(repo.git(repo.bare, 'notes', 'show', ref)).toBe('well done');
});

test('[BT1] what is missing or does not fit is refused', async () => {
  await expect(put({}, {})).rejects.toThrow('source.branch is required for a put');
  await expect(put({ repository: '' })).rejects.toThrow('params.repository is required');
  await expect(put({ rebase: true, merge: true })).rejects.toThrow('exclude each other');
  await expect(put({ tag: 'none' })).rejects.toThrow("tag file 'none' does not exist");
  await expect(put({ annotate: 'none' })).rejects.toThrow("annotation file 'none' does not exist");
});
