import type { ResourceType } from '../request.ts';
import { checkGit } from './git-check.ts';
import { fetchGit } from './git-in.ts';
import { pushGit } from './git-out.ts';

/** Commits of a git repository, by the machine's own git. */
export const gitType: ResourceType = {
  check: (context, { source, version }) => checkGit(context, source, version),
  in: fetchGit,
  out: pushGit,
};
