import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitFixture } from '../testing/git-fixture.ts';
import { gitType } from './git-type.ts';

let repo: GitFixture;
beforeEach(() => {
  repo = new GitFixture();
});
afterEach(() => repo[Symbol.dispose]());

async function check(source: object = {}, ref?: string): Promise<(string | undefined)[]> {
  const request = { source: { uri: repo.uri, ...source }, params: {}, ...(ref && { version: { ref } }) };
  return (await gitType.check(repo.context, request)).map((version) => version['ref']);
}

test('[BT10] without a version the newest commit, with one all since and that one', async () => {
  const commits = ['a', 'b', 'c'].map((path) => repo.commit(path));
  expect(await check()).toEqual(commits.slice(2));
  expect(await check({}, commits[1])).toEqual(commits.slice(1));
  expect(await check({}, commits[0])).toEqual(commits);
  const newer = repo.commit('d');
  expect(await check({}, commits[2])).toEqual([commits[2], newer]);
  expect(await check({}, newer)).toEqual([newer]);
});

test('[BT10] version_depth gives more at the first check', async () => {
  const commits = ['a', 'b', 'c'].map((path) => repo.commit(path));
  expect(await check({ version_depth: 2 })).toEqual(commits.slice(1));
});

test('[BT10] a version that a forced push has removed is as good as none', async () => {
  const first = repo.commit('a');
  const gone = repo.commit('b');
  expect(await check({}, gone)).toEqual([gone]);
  repo.git(repo.work, 'reset', '--quiet', '--hard', first);
  const other = repo.commit('c');
  expect(await check({}, gone)).toEqual([other]);
  expect(await check({}, '0123456789012345678901234567890123456789')).toEqual([other]);
});

test('[BT10] another branch, and the default branch without one', async () => {
  const main = repo.commit('a');
  const side = repo.commit('b', 'side', { branch: 'side/x' });
  expect(await check({ branch: 'side/x' })).toEqual([side]);
  expect(await check()).toEqual([main]);
  await expect(check({ branch: 'none' })).rejects.toThrow('git clone failed');
});

test('[BT11] paths and ignore_paths', async () => {
  const guide = repo.commit('guide/a.md');
  const code = repo.commit('src/a.ts');
  const both = repo.commit('guide/b.txt');
  expect(await check({ paths: ['guide'] })).toEqual([both]);
  expect(await check({ paths: ['guide/*.md'] })).toEqual([guide]);
  expect(await check({ paths: ['*.ts'] }, guide)).toEqual([code]);
  expect(await check({ ignore_paths: ['guide'] })).toEqual([code]);
  expect(await check({ paths: ['guide'], ignore_paths: ['guide/*.txt'] }, guide)).toEqual([guide]);
});

test('[BT11] merge commits count once, by their first parent', async () => {
  const first = repo.commit('a');
  repo.git(repo.work, 'checkout', '--quiet', '-b', 'topic');
  repo.commit('topic/1', 'one', { branch: 'topic' });
  repo.git(repo.work, 'checkout', '--quiet', 'main');
  const second = repo.commit('b');
  repo.git(repo.work, 'merge', '--quiet', '--no-ff', '--message', 'merge', 'topic');
  repo.git(repo.work, 'push', '--quiet', 'origin', 'main');
  const merged = repo.git(repo.work, 'rev-parse', 'HEAD');
  expect(await check({ branch: 'main' }, first)).toEqual([first, second, merged]);
});

test('[BT12] commits that say [ci skip] or [skip ci] are left out, unless disable_ci_skip', async () => {
  const first = repo.commit('a');
  repo.commit('b', 'no [ci skip] please');
  const last = repo.commit('c', 'none\n\n[skip ci]');
  expect(await check()).toEqual([first]);
  expect(await check({}, first)).toEqual([first]);
  expect(await check({ disable_ci_skip: true })).toEqual([last]);
  expect(await check({ disable_ci_skip: true }, first)).toHaveLength(3);
});

test('[BT12] commit_filter', async () => {
  const fix = repo.commit('a', 'fix: one');
  const feat = repo.commit('b', 'feat: two');
  const chore = repo.commit('c', 'chore: fix three');
  const filter = (commit_filter: object, ref?: string) => check({ commit_filter }, ref);
  expect(await filter({ include: ['^feat'] })).toEqual([feat]);
  expect(await filter({ include: ['fix'] }, fix)).toEqual([fix, chore]);
  expect(await filter({ include: ['fix', 'chore'], include_all_match: true }, fix)).toEqual([chore]);
  expect(await filter({ exclude: ['chore', 'feat'] })).toEqual([fix]);
  expect(await filter({ include: ['fix'], exclude: ['chore'] }, fix)).toEqual([fix]);
});

test('[BT13] tag_filter gives tags, the oldest first', async () => {
  const first = repo.commit('a');
  repo.tag('v1');
  repo.commit('b');
  repo.tag('other');
  const third = repo.commit('c');
  repo.tag('v2');
  const versions = (source: object, ref?: string) =>
    gitType.check(repo.context, {
      source: { uri: repo.uri, version_depth: 9, ...source },
      params: {},
      ...(ref && { version: { ref } }),
    });
  const [one, two] = [
    { ref: 'v1', commit: first },
    { ref: 'v2', commit: third },
  ];
  expect(await versions({ tag_filter: 'v*' })).toEqual([one, two]);
  expect(await versions({ tag_filter: 'v*' }, 'v2')).toEqual([two]);
  expect(await versions({ tag_filter: 'v*', branch: 'main' }, 'v1')).toEqual([one, two]);
  expect(await versions({ tag_filter: 'v*', version_depth: 1 })).toEqual([two]);
  expect(await versions({ tag_regex: 'v[0-9]' })).toEqual([one, two]);
  expect(await versions({ tag_regex: 'v' })).toEqual([]);
  expect(await versions({ tag_filter: 'v1', tag_behaviour: 'match_tag_ancestors' })).toEqual([{ ref: first }]);
  expect(await check({ tag_filter: 'v*' })).toEqual(['v2']);
  const fourth = repo.commit('d');
  repo.tag('v3');
  expect(await versions({ tag_filter: 'v*' }, 'v2')).toEqual([two, { ref: 'v3', commit: fourth }]);
});

test('[BT13] tags of other branches do not count for a branch', async () => {
  repo.commit('a');
  repo.tag('v1');
  repo.git(repo.work, 'checkout', '--quiet', '-b', 'side');
  repo.commit('b', 'side', { branch: 'side' });
  repo.tag('v2');
  expect(await check({ tag_filter: 'v*', branch: 'main' })).toEqual(['v1']);
  expect(await check({ tag_filter: 'v*' })).toEqual(['v2']);
});

test.each([
  [{ uri: '' }, 'source.uri is required'],
  [{ brnach: 'x' }, 'unknown field source.brnach'],
  [{ tag_filter: 'a', tag_regex: 'b' }, 'exclude each other'],
  [{ tag_behaviour: 'x' }, 'source.tag_behaviour must be'],
  [{ version_depth: 0 }, 'source.version_depth must be at least 1'],
  [{ git_crypt_key: 'abc' }, 'needs the published image'],
  [{ paths: 'guide' }, 'source.paths must be a list of texts'],
])('[BT1] the source %j is refused', async (source, message) => {
  await expect(check(source)).rejects.toThrow(message);
});

test('[BT14] an address is never taken for an option of git, and nothing secret stays in the sandbox', async () => {
  await expect(check({ uri: '--upload-pack=touch /tmp/x' })).rejects.toThrow('git clone failed');
  const first = repo.commit('a');
  expect(await check({ username: 'u', password: 'geheim', private_key: 'KEY' })).toEqual([first]);
  const found = repo.git(repo.dir, '-c', 'core.pager=', 'grep', '--no-index', '-l', '-e', '.', '--', 'tmp').split('\n');
  expect(found.filter((path) => path.includes('git-home'))).toEqual([]);
});
