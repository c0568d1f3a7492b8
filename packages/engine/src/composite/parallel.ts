import type { Journal } from '../seams.ts';
import { Interruption } from '../walk/interruption.ts';
import { type Outcome, type Settled, type StepContext, settle, severalErrors } from '../walk/step.ts';

/** Things to run side by side. */
export interface Group {
  /** The plan they belong to, or a place within it. */
  readonly id: string;
  readonly count: number;
  readonly limit: number;
  /** When one fails or errors, those that run are interrupted and the others are not begun. */
  readonly failFast: boolean;
  readonly run: (ctx: StepContext, index: number) => Promise<Outcome>;
  /** Whether one was begun in an earlier walk. */
  readonly begun: (index: number) => Promise<boolean>;
}

/**
 * Runs a group in order, never more than its limit at once, and waits for all of them. What comes of it is told by what
 * came of its members, never by the signal, so that a later walk tells the same.
 */
export async function runParallel(journal: Journal, group: Group, ctx: StepContext): Promise<Outcome> {
  const failed = new AbortController();
  const key = { planId: group.id, what: 'value' } as const;
  const failFast = () => failed.abort(new Interruption('fail-fast', group.id));
  if (group.failFast && (await journal.read(key))?.['failedFast'] === true) failFast();
  // A fail_fast that an earlier walk remembered came before whatever has happened since, and is still the reason.
  const signal = group.failFast ? AbortSignal.any([failed.signal, ctx.signal]) : ctx.signal;

  const results: Settled[] = []; // with holes where members were not begun
  let next = 0;
  let cutShort: Error | undefined;
  const runSome = async () => {
    while (next < group.count) {
      const index = next++;
      // In an aborted group a member goes on that an earlier walk began, so that it is ended and its hooks run.
      if (signal.aborted && !(await group.begun(index))) {
        if (!isFailFastOf(group.id, signal.reason)) cutShort ??= signal.reason;
        continue;
      }
      const result = await settle(group.run({ ...ctx, signal }, index));
      results[index] = result;
      if (group.failFast && !signal.aborted && isFailure(result)) {
        await journal.record(key, { failedFast: true });
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
