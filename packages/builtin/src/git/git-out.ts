import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fields } from '../fields.ts';
import type { ActionContext, ResourceAnswer, ResourceRequest } from '../request.ts';
import { type Git, git, gitIn, gitText } from './git.ts';
import { withGit } from './git-environment.ts';
import { gitMetadata } from './git-metadata.ts';
import { parseGitSource } from './git-source.ts';

const PARAMS = [
  'repository',
  'rebase',
  'merge',
  'returning',
  'tag',
  'only_tag',
  'tag_prefix',
  'force',
  'force_with_lease',
  'annotate',
  'notes',
  'branch',
  'refs_prefix',
];
const TARGET = 'push-target';
/** A tag that exists already is rejected, too, and would be rejected again. */
const OVERTAKEN = /\[rejected\].*\((fetch first|non-fast-forward|stale info)\)|cannot lock ref/;

interface Push {
  readonly ref: string;
  readonly tag?: string;
  readonly annotation?: string;
  readonly notes?: string;
  readonly force: readonly string[];
}

/** Pushes the commit that is checked out in a directory of the build. */
export async function pushGit(
  context: ActionContext,
  { source: rawSource, params: rawParams }: ResourceRequest,
  sources: string,
): Promise<ResourceAnswer> {
  const source = parseGitSource(rawSource);
  const params = new Fields('params', rawParams);
  params.allow(PARAMS);
  const [rebase, merge, onlyTag] = ['rebase', 'merge', 'only_tag'].map((name) => params.flag(name));
  const override = params.text('branch');
  const branch = override ?? source.branch;
  if (branch === undefined && !onlyTag) throw new Error('source.branch is required for a put');
  if (rebase && merge) throw new Error('params.rebase and params.merge exclude each other');
  const repository = await directoryIn(sources, params.need('repository'));
  const push = await readPush(params, sources, branch);
  return withGit(context, source, async (env) => {
    const within = gitIn(context, repository, env);
    const commit = await gitText(within, ['rev-parse', 'HEAD']);
    await git(within, ['remote', 'remove', TARGET], { ok: [0, 1, 2, 128], quiet: true });
    await git(within, ['remote', 'add', '--', TARGET, source.uri]);
    if (onlyTag) {
      await tagHead(within, push);
      await git(within, ['push', ...push.force, '--tags', TARGET]);
    } else if (branch !== undefined && (rebase || merge)) {
      await pushUntilTaken(within, push, async () => {
        if (merge) await git(within, ['reset', '--quiet', '--hard', commit]);
        await git(within, ['fetch', '--quiet', TARGET, 'refs/notes/*:refs/notes/*']);
        const how = merge ? ['--no-rebase', '--no-edit'] : ['--rebase=merges'];
        await git(within, ['pull', '--quiet', ...how, TARGET, branch]);
      });
    } else if (!(await tryPush(within, push))) {
      throw new Error('the push was rejected: the branch has other commits');
    }
    const returnsOriginal = merge && params.text('returning') === 'unmerged';
    const ref = returnsOriginal ? commit : await gitText(within, ['rev-parse', 'HEAD']);
    return { version: { ...(override && { branch: override }), ref }, metadata: await gitMetadata(within) };
  });
}

async function directoryIn(sources: string, path: string): Promise<string> {
  const directory = resolve(sources, path);
  if ((await stat(directory).catch(() => undefined))?.isDirectory()) return directory;
  const there = (await readdir(sources)).sort();
  const has = there.length === 0 ? 'no inputs' : there.join(', ');
  throw new Error(`there is no directory '${path}' (params.repository): the step has ${has}`);
}

async function readPush(params: Fields, sources: string, branch: string | undefined): Promise<Push> {
  const [tagFile, annotation, notes] = ['tag', 'annotate', 'notes'].map((name) => params.text(name));
  const fileText = (name: string, path: string) =>
    readFile(join(sources, path), 'utf8').catch((cause) => {
      throw new Error(`${name} file '${path}' does not exist`, { cause });
    });
  const tag = tagFile === undefined ? undefined : (await fileText('tag', tagFile)).trim();
  if (annotation !== undefined) await fileText('annotation', annotation);
  if (notes !== undefined) await fileText('notes', notes);
  const lease = params.flag('force_with_lease') ? ['--force-with-lease'] : [];
  return {
    ref: `${params.text('refs_prefix') ?? 'refs/heads'}/${branch}`,
    ...(tag && { tag: `${params.text('tag_prefix') ?? ''}${tag}` }),
    ...(annotation !== undefined && { annotation: resolve(sources, annotation) }),
    ...(notes !== undefined && { notes: resolve(sources, notes) }),
    force: params.flag('force') ? ['--force'] : lease,
  };
}

/** Somebody may push between our look and our push, for as long as others push. */
async function pushUntilTaken(within: Git, push: Push, catchUp: () => Promise<void>): Promise<void> {
  do await catchUp();
  while (!(await tryPush(within, push)));
}

/** False when others have pushed meanwhile. */
async function tryPush(within: Git, push: Push): Promise<boolean> {
  await tagHead(within, push);
  const pushed = await git(within, ['push', ...push.force, '--tags', TARGET, `HEAD:${push.ref}`], { ok: [0, 1, 128] });
  if (pushed.code !== 0) {
    if (OVERTAKEN.test(pushed.stderr)) return false;
    throw new Error('the push failed');
  }
  if (push.notes) {
    await git(within, ['notes', 'add', '--force', '-F', push.notes]);
    await git(within, ['push', '--quiet', TARGET, 'refs/notes/*']);
  }
  return true;
}

async function tagHead(within: Git, { tag, annotation }: Push): Promise<void> {
  if (tag === undefined) return;
  await git(within, ['tag', '--force', ...(annotation ? ['-a', '-F', annotation] : []), '--', tag]);
}
