import type { MetadataField } from '../request.ts';
import { type Git, gitLines, gitText } from './git.ts';

const MESSAGE_LIMIT = 10_240;

/** What a build shows of the commit that is checked out. */
export async function gitMetadata(within: Git): Promise<MetadataField[]> {
  const format = ['%H', '%an', '%ai', '%cn', '%ci'].join('%x00');
  const [commit = '', author = '', authorDate = '', committer = '', committerDate = ''] = (
    await gitText(within, ['log', '-1', `--format=format:${format}`])
  ).split('\0');
  const heads = (
    await gitLines(within, ['for-each-ref', '--points-at=HEAD', '--format=%(refname:lstrip=2)', 'refs/heads'])
  ).join(',');
  const tags = (await gitLines(within, ['tag', '--points-at', 'HEAD'])).join(',');
  const message = (await gitText(within, ['log', '-1', '--format=format:%B'])).slice(0, MESSAGE_LIMIT);
  const origin = await gitText(within, ['config', '--get', 'remote.origin.url'], { ok: [0, 1], quiet: true });
  const url = commitUrl(origin, commit);
  const isOwn = author === committer && authorDate === committerDate;
  return [
    { name: 'commit', value: commit },
    { name: 'author', value: author },
    { name: 'author_date', value: authorDate, type: 'time' },
    ...(isOwn
      ? [
          { name: 'committer', value: committer },
          { name: 'committer_date', value: committerDate, type: 'time' },
        ]
      : []),
    ...(heads ? [{ name: 'branch', value: heads }] : []),
    ...(tags ? [{ name: 'tags', value: tags }] : []),
    { name: 'message', value: message, type: 'message' },
    ...(url ? [{ name: 'url', value: url }] : []),
  ];
}

/** The page of a commit, for hosts whose name says what they run. */
export function commitUrl(origin: string, commit: string): string | undefined {
  const match = /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([^/:]+)(?::\d+)?[/:](.+?)(?:\.git)?\/?$/.exec(origin);
  const [, host = '', path = ''] = match ?? [];
  if (/github|gogs/.test(host)) return `https://${host}/${path}/commit/${commit}`;
  if (host.includes('gitlab')) return `https://${host}/${path}/-/commit/${commit}`;
  if (host.includes('bitbucket')) return `https://${host}/${path}/commits/${commit}`;
  return undefined;
}
