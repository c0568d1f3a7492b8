import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fields } from '../fields.ts';
import type { ActionContext, ResourceAnswer, ResourceRequest } from '../request.ts';
import { type Git, git, gitIn, gitLines, gitText, runProgram } from './git.ts';
import { withGit } from './git-environment.ts';
import { gitMetadata } from './git-metadata.ts';
import { type GitSource, parseGitSource } from './git-source.ts';
import { updateSubmodules } from './submodules.ts';

const PARAMS = [
  'depth',
  'fetch',
  'fetch_tags',
  'submodules',
  'submodule_recursive',
  'submodule_remote',
  'disable_git_lfs',
  'clean_tags',
  'short_ref_format',
  'timestamp_format',
  'describe_ref_options',
];

/** Clones the repository into the destination and checks the version out. */
export async function fetchGit(
  context: ActionContext,
  { source: rawSource, params: rawParams, version }: ResourceRequest,
  destination: string,
): Promise<ResourceAnswer> {
  const source = parseGitSource(rawSource);
  const params = new Fields('params', rawParams);
  params.allow(PARAMS);
  const asked = version?.['ref'] ?? 'HEAD';
  if (asked.startsWith('-')) throw new Error(`not a version: ${asked}`);
  return withGit(context, source, async (home, homeDir) => {
    const env = params.flag('disable_git_lfs') ? { ...home, GIT_LFS_SKIP_SMUDGE: '1' } : home;
    const within = gitIn(context, destination, env);
    const depth = params.count('depth') ?? 0;
    await clone(within, source, params, version?.['branch'] ?? source.branch, depth);
    await git(within, ['fetch', '--quiet', 'origin', 'refs/notes/*:refs/notes/*']);
    await checkOut(within, asked, depth);
    await verifyCommit(within, source, asked, homeDir);
    context.log(await gitText(within, ['log', '-1', '--oneline']));
    await git(within, ['clean', '--quiet', '--force', '--force', '-d']);
    await updateSubmodules(within, params, rawParams['submodules'], depth);
    for (const branch of params.texts('fetch')) {
      await git(within, ['fetch', '--quiet', 'origin', branch]);
      await git(within, ['branch', '--', branch, 'FETCH_HEAD']);
    }
    const ref = asked === 'HEAD' ? await gitText(within, ['rev-parse', 'HEAD']) : asked;
    const metadata = await gitMetadata(within);
    await describe(within, params, ref, metadata);
    if (params.flag('clean_tags')) {
      const tags = await gitLines(within, ['tag']);
      if (tags.length > 0) await git(within, ['tag', '--delete', ...tags]);
    }
    return { version: version ?? { ref }, metadata };
  });
}

async function clone(
  within: Git,
  source: GitSource,
  params: Fields,
  branch: string | undefined,
  depth: number,
): Promise<void> {
  const byTag = Boolean(source.tagFilter ?? source.tagRegex);
  const tags = params.optionalFlag('fetch_tags') ?? source.fetchTags ?? (byTag ? true : undefined);
  const flags = ['--single-branch', '--quiet'];
  if (branch) flags.push(`--branch=${branch}`);
  if (depth > 0) flags.push(`--depth=${depth}`);
  if (tags === false) flags.push('--no-tags');
  if (source.sparsePaths.length > 0) flags.push('--no-checkout');
  await git({ ...within, cwd: '/' }, ['clone', ...flags, '--', source.uri, within.cwd]);
  if (tags) await git(within, ['fetch', '--quiet', '--tags', ...(depth > 0 ? [`--depth=${depth}`] : []), 'origin']);
  if (source.sparsePaths.length > 0) await git(within, ['sparse-checkout', 'set', '--no-cone', ...source.sparsePaths]);
}

/** A commit that a shallow clone does not reach, since newer ones came, is found by deepening the clone. */
async function checkOut(within: Git, ref: string, depth: number): Promise<void> {
  const isHere = async () =>
    (await git(within, ['cat-file', '-e', `${ref}^{commit}`], { ok: [0, 1, 128], quiet: true })).code === 0;
  if (depth > 0) {
    const isShallow = async () => (await gitText(within, ['rev-parse', '--is-shallow-repository'])) === 'true';
    for (let more = depth; !(await isHere()) && (await isShallow()); more *= 2) {
      await git(within, more > 1024 ? ['fetch', '--quiet', '--unshallow'] : ['fetch', '--quiet', `--deepen=${more}`]);
    }
  }
  await git(within, ['checkout', '--quiet', '--force', ref, '--']);
}

async function verifyCommit(within: Git, { fields }: GitSource, ref: string, home: string): Promise<void> {
  const keys = fields.texts('commit_verification_keys');
  const ids = fields.texts('commit_verification_key_ids');
  if (keys.length === 0 && ids.length === 0) return;
  const file = join(home, 'keys');
  await writeFile(file, keys.join('\n'));
  if (keys.length > 0) await runProgram(within, 'gpg', ['--batch', '--quiet', '--import', file]);
  const server = fields.text('gpg_keyserver') ?? 'hkps://keys.openpgp.org';
  for (const id of ids) await runProgram(within, 'gpg', ['--batch', '--keyserver', server, '--recv-keys', '--', id]);
  const commit = await gitText(within, ['rev-list', '-n', '1', ref]);
  const { code } = await git(within, ['verify-commit', commit], { ok: [0, 1, 128] });
  await rm(file);
  if (code !== 0) throw new Error(`the commit ${commit} is not signed by one of the keys`);
}

/** Files about the commit, for tasks that have no git. */
async function describe(within: Git, params: Fields, ref: string, metadata: readonly object[]): Promise<void> {
  const log = (format: string, ...flags: string[]) =>
    gitText(within, ['log', '-1', `--format=format:${format}`, ...flags]);
  const write = (name: string, text: string) => writeFile(join(within.cwd, '.git', name), text);
  await write('committer', await log('%ae'));
  await write('ref', `${ref}\n`);
  await write('short_ref', (params.text('short_ref_format') ?? '%s').replace('%s', ref.slice(0, 7)));
  await write('commit_message', (await git(within, ['log', '-1', '--format=format:%B'])).stdout);
  const date = params.text('timestamp_format') ?? 'iso8601';
  await write('commit_timestamp', `${await log('%cd', `--date=${date}`)}\n`);
  const options = (params.text('describe_ref_options') ?? '--always --dirty --broken').split(/\s+/).filter(Boolean);
  await write('describe_ref', `${await gitText(within, ['describe', ...options])}\n`);
  await write('metadata.json', JSON.stringify(metadata));
}
