import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionContext, Version } from '../request.ts';
import { type Git, git, gitIn, gitLines, gitText, runProgram } from './git.ts';
import { withGit } from './git-environment.ts';
import { type GitSource, type MessageFilter, parseGitSource } from './git-source.ts';

const CI_SKIP = ['\\[ci[[:space:]]skip\\]', '\\[skip[[:space:]]ci\\]'];

/** Commits since the version, the oldest first and the version itself among them; without a version the newest. */
export async function checkGit(
  context: ActionContext,
  rawSource: Readonly<Record<string, unknown>>,
  version: Version | undefined,
): Promise<Version[]> {
  const source = parseGitSource(rawSource);
  return withGit(context, source, async (env) => {
    const quick = await onlyNewest(gitIn(context, '/', env), source, version?.['ref']);
    if (quick) return quick;
    const within = await mirror(context, source, { ...env, GIT_LFS_SKIP_SMUDGE: '1' });
    return findVersions(within, source, version?.['ref']);
  });
}

/** Without any filter the newest commit is all there is to know, for which nothing need be cloned. */
async function onlyNewest(within: Git, source: GitSource, ref: string | undefined): Promise<Version[] | undefined> {
  const filters = [...source.paths, ...source.ignorePaths, ...source.include.patterns, ...source.exclude.patterns];
  if (source.skipsCiSkip || source.versionDepth > 1 || filters.length > 0) return undefined;
  if (source.tagFilter || source.tagRegex) return undefined;
  const name = source.branch ? `refs/heads/${source.branch}` : 'HEAD';
  const newest = (await gitText(within, ['ls-remote', '--', source.uri, name])).split(/\s/)[0];
  if (!newest) throw new Error(`the repository has no ${source.branch ? `branch ${source.branch}` : 'commit'}`);
  return ref === undefined || ref === newest ? [{ ref: newest }] : undefined;
}

/** A bare clone without files. It stays in the sandbox, where the next check fetches only what is new. */
async function mirror(context: ActionContext, source: GitSource, env: NodeJS.ProcessEnv): Promise<Git> {
  const dir = join(context.env['TMPDIR'] ?? tmpdir(), 'git-resource-repo-cache');
  const within = gitIn(context, dir, env);
  const wantsTags = Boolean(source.tagFilter ?? source.tagRegex);
  const key = JSON.stringify([source.uri, source.branch, wantsTags]);
  if (existsSync(dir)) {
    const same = (await gitText(within, ['config', 'seaplane.key'], { ok: [0, 1, 128], quiet: true })) === key;
    if (same) {
      const what = wantsTags ? ['--tags', 'refs/heads/*:refs/heads/*'] : ['--no-tags', source.branch ?? 'HEAD'];
      await git(within, ['fetch', '--force', 'origin', ...what]);
      if (!wantsTags) await git(within, ['update-ref', 'HEAD', 'FETCH_HEAD']);
      return within;
    }
    await rm(dir, { recursive: true });
  }
  const isWhole = source.paths.length === 0 && source.ignorePaths.length === 0;
  const filter = isWhole ? '--filter=tree:0' : '--filter=blob:none';
  const which = wantsTags
    ? []
    : ['--single-branch', '--no-tags', ...(source.branch ? [`--branch=${source.branch}`] : [])];
  const clone = ['clone', '--bare', filter, '--quiet', ...which, '--', source.uri, dir];
  try {
    await git({ ...within, cwd: '/' }, clone);
    if (wantsTags && source.branch) await git(within, ['symbolic-ref', 'HEAD', `refs/heads/${source.branch}`]);
    await git(within, ['config', 'seaplane.key', key]);
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
  return within;
}

async function findVersions(within: Git, source: GitSource, asked: string | undefined): Promise<Version[]> {
  const byTag = Boolean(source.tagFilter ?? source.tagRegex);
  const from = asked !== undefined && (await isThere(within, asked, byTag)) ? asked : undefined;
  const commits = await listCommits(within, source, from, byTag);
  if (byTag) return findTags(within, source, from, commits);
  const newestFirst = from === undefined ? commits.slice(0, source.versionDepth) : commits;
  return newestFirst.toReversed().map((ref) => ({ ref }));
}

/** A commit that is not part of the branch any more (somebody has forced a push) is as good as none. */
async function isThere(within: Git, ref: string, byTag: boolean): Promise<boolean> {
  if (ref.startsWith('-')) return false;
  const env = { ...within.env, GIT_NO_LAZY_FETCH: '1' };
  const args = byTag
    ? ['cat-file', '-e', `${ref}^{commit}`]
    : ['merge-base', '--is-ancestor', `${ref}^{commit}`, 'HEAD'];
  const { code } = await git({ ...within, env }, args, { ok: [0, 1, 128], quiet: true });
  return code === 0;
}

/** The newest first. */
async function listCommits(
  within: Git,
  source: GitSource,
  from: string | undefined,
  byTag: boolean,
): Promise<string[]> {
  const range: string[] = byTag ? ['--all'] : ['HEAD'];
  if (from !== undefined) {
    const parent = await git(within, ['rev-parse', '--verify', '--quiet', `${from}~1`], {
      ok: [0, 1, 128],
      quiet: true,
    });
    if (parent.code === 0) range.push(`^${parent.stdout.trim()}`);
  }
  const { paths, ignorePaths } = source;
  const pathspec =
    paths.length + ignorePaths.length === 0
      ? []
      : ['--', ...(paths.length > 0 ? paths : ['.']), ...ignorePaths.map((path) => `:!${path}`)];
  let commits = await gitLines(within, ['rev-list', '--first-parent', ...range, ...pathspec]);
  commits = await grep(within, commits, source.include, false);
  commits = await grep(within, commits, source.exclude, true);
  if (source.skipsCiSkip) commits = await grep(within, commits, { patterns: CI_SKIP, allMatch: false }, true);
  return commits;
}

async function grep(
  within: Git,
  commits: string[],
  { patterns, allMatch }: MessageFilter,
  invert: boolean,
): Promise<string[]> {
  if (patterns.length === 0 || commits.length === 0) return commits;
  const flags = [...(invert ? ['--invert-grep'] : []), ...(allMatch ? ['--all-match'] : [])];
  const greps = patterns.map((pattern) => `--grep=${pattern}`);
  const args = ['rev-list', '--stdin', '--no-walk=unsorted', ...flags, ...greps];
  return gitLines(within, args, { input: `${commits.join('\n')}\n` });
}

async function findTags(
  within: Git,
  source: GitSource,
  from: string | undefined,
  commits: readonly string[],
): Promise<Version[]> {
  const tags = await listTags(within, source, from);
  if (tags.length === 0) return [];
  if (source.tagBehaviour === 'match_tag_ancestors') {
    const ancestors = new Set(await gitLines(within, ['rev-list', ...tags.map((tag) => `refs/tags/${tag}`)]));
    const found = commits.toReversed().filter((commit) => ancestors.has(commit));
    return found.slice(-source.versionDepth).map((ref) => ({ ref }));
  }
  const wanted = new Set(commits);
  const versions: Version[] = [];
  for (const tag of tags) {
    const commit = await gitText(within, ['rev-list', '-n', '1', `refs/tags/${tag}`]);
    if (wanted.has(commit)) versions.push({ ref: tag, commit });
  }
  return versions.slice(-source.versionDepth);
}

/** Matching tags, the oldest first: with a version those from it on. */
async function listTags(within: Git, source: GitSource, from: string | undefined): Promise<string[]> {
  const { branch, tagFilter, tagRegex } = source;
  const merged = branch ? ['--merged', branch] : [];
  const contains = from !== undefined && branch ? ['--contains', from] : [];
  const list = ['tag', '--sort=creatordate', ...contains, ...merged];
  let tags = await gitLines(within, [...list, ...(tagFilter ? ['--list', tagFilter] : [])]);
  if (tagRegex) {
    const input = `${tags.join('\n')}\n`;
    tags = (await runProgram(within, 'grep', ['-Ex', '-e', tagRegex], { input, ok: [0, 1] })).stdout
      .split('\n')
      .filter(Boolean);
  }
  return from !== undefined && !branch ? tags.slice(Math.max(tags.indexOf(from), 0)) : tags;
}
