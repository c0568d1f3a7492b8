import type { Journal } from '../seams.ts';
import type { Step } from '../walk/step.ts';
import { runParallel } from './parallel.ts';
import type { Attempt } from './retry.ts';

export interface InParallelOptions {
  readonly limit?: number | undefined;
  readonly failFast?: boolean | undefined;
}

/** Runs steps side by side, at most `limit` at once. All are waited for; all must succeed. */
export function inParallel(
  journal: Journal,
  id: string,
  members: readonly Attempt[],
  { limit, failFast = false }: InParallelOptions = {},
): Step {
  return (ctx, state) =>
    runParallel(
      journal,
      {
        id,
        count: members.length,
        limit: limit !== undefined && limit > 0 ? limit : members.length,
        failFast,
        run: (memberCtx, index) => (members[index] as Attempt).step(memberCtx, state),
        begun: (index) => (members[index] as Attempt).begun(),
      },
      ctx,
    );
}
