import type { Mark } from '../journal/mark.ts';
import { Interruption } from '../walk/interruption.ts';
import { type Outcome, type Settled, type StepContext, settle, severalErrors } from '../walk/step.ts';

/** Members to run side by side. */
export interface Group {
  /** The id of their plan, or of a group within it. */
  readonly id: string;
  readonly count: number;
  readonly limit: number;
  /**
   * With fail_fast: when a member fails or errors, running members are interrupted and no further one begins. The mark
   * remembers that this has happened.
   */
  readonly failFast: Mark | undefined;
  readonly run: (ctx: StepContext, index: number) => Promise<Outcome>;
  /** Whether an earlier walk began a member. */
  readonly hasBegun: (index: number) => Promise<boolean>;
}

/**
 * Runs the members in order, never more than the limit at once, and waits for all of them. The result depends on how
 * the members ended, never on the signal, so that a later walk has the same result.
 */
export async function runParallel(group: Group, ctx: StepContext): Promise<Outcome> {
  const failed = new AbortController();
  const failFast = () => failed.abort(new Interruption('fail-fast', group.id));
  if (await group.failFast?.isSet()) failFast();
  // A fail_fast of an earlier walk came before anything that has happened since, so it is still the reason.
  const signal = group.failFast ? AbortSignal.any([failed.signal, ctx.signal]) : ctx.signal;

  const results: Settled[] = []; // with holes for members that did not begin
  let next = 0;
  let cutShort: Error | undefined;
  const runSome = async () => {
    while (next < group.count) {
      const index = next++;
      // A member that an earlier walk began goes on in an aborted group, so that it is ended and its hooks run.
      if (signal.aborted && !(await group.hasBegun(index))) {
        if (!isFailFastOf(group.id, signal.reason)) cutShort ??= signal.reason;
        continue;
      }
      const result = await settle(group.run({ ...ctx, signal }, index));
      results[index] = result;
      if (group.failFast && !signal.aborted && isFailure(result)) {
        await group.failFast.set();
        failFast();
      }
    }
  };
  const lanes = Array.from({ length: Math.min(group.limit, group.count) }, runSome);
  for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
  const errors = results.flatMap((result) => ('error' in result ? [result.error] : []));
  const interruption = errors.find((error) => error instanceof Interruption && !isFailFastOf(group.id, error));
  if (interruption ?? cutShort) throw interruption ?? cutShort;
  const own = errors.filter((error) => !(error instanceof Interruption));
  if (own.length > 0) throw severalErrors(own);
  return results.every((result) => 'outcome' in result && result.outcome === 'succeeded') ? 'succeeded' : 'failed';
}

function isFailure(result: Settled): boolean {
  return 'error' in result ? !(result.error instanceof Interruption) : result.outcome === 'failed';
}

function isFailFastOf(id: string, error: unknown): boolean {
  return error instanceof Interruption && error.kind === 'fail-fast' && error.by === id;
}
