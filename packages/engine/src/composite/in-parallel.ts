import type { Mark } from '../journal/mark.ts';
import type { Step } from '../walk/step.ts';
import type { Member } from './member.ts';
import { runParallel } from './parallel.ts';

export interface InParallelOptions {
  readonly limit?: number | undefined;
  /** With `fail_fast`: remembers that a member has failed. */
  readonly failFast?: Mark | undefined;
}

/** Runs steps side by side, at most `limit` at once. Waits for all of them; all must succeed. */
export function inParallel(id: string, members: readonly Member[], { limit, failFast }: InParallelOptions = {}): Step {
  return (ctx, state) =>
    runParallel(
      {
        id,
        count: members.length,
        limit: limit !== undefined && limit > 0 ? limit : members.length,
        failFast,
        run: (memberCtx, index) => (members[index] as Member).step(memberCtx, state),
        hasBegun: (index) => (members[index] as Member).hasBegun(),
      },
      ctx,
    );
}
