import { assertNever, type JsonObject, type VarReference } from '@seaplane/config';
import { EngineError } from '../engine-error.ts';
import { stepEvents } from '../output/step-events.ts';
import { trackAgain } from '../secrets/track-again.ts';
import type { BuildWalk } from '../walk/build-walk.ts';
import { Drained, Interruption, type InterruptionKind } from '../walk/interruption.ts';
import type { Outcome, Step } from '../walk/step.ts';
import type { StepPlace, StepVisit } from '../walk/step-visit.ts';

/** A step that does something itself. Its result `T` must be JSON, because the journal keeps it. */
export interface Leaf<T> {
  /** Does the work. After a crash the next walk calls it again: it must return the same result and do nothing twice. */
  readonly work: (visit: StepVisit) => Promise<Worked<T>>;
  /** Applies the result, in this walk and in every later one: last events, artifacts, variables. */
  readonly conclude: (done: T, visit: Pick<StepVisit, 'events' | 'state'>) => Promise<Outcome>;
}

/** Interrupted work may have a result, such as the outputs of a task. */
export type Worked<T> = { readonly done: T; readonly interrupted?: Interruption | undefined };

/** How a leaf ended, as the journal keeps it. */
interface LeafRecord<T> {
  readonly end: 'done' | 'errored' | InterruptionKind;
  readonly done?: T;
  /** Of an error: its message. */
  readonly message?: string;
  /** Of an interruption: the plan that caused it. */
  readonly by?: string;
  /** The variables looked up so far, so that a later walk knows what to redact. */
  readonly variables?: readonly VarReference[];
}

/** Makes a leaf a step. Once a leaf has ended, every later walk ends it in the same way without running it. */
export function leafStep<T>(walk: BuildWalk, plan: StepPlace, leaf: Leaf<T>): Step {
  const { journal, clock } = walk.seams;
  const { id, attempts } = plan;
  return async (ctx, state) => {
    const visit: StepVisit = { walk, id, attempts, ctx, state, events: stepEvents(walk, id) };
    const key = { planId: id, what: 'result' } as const;
    let record = (await journal.read(key)) as LeafRecord<T> | undefined;
    if (record) await trackAgain(visit, record.variables ?? []);
    else {
      await journal.record({ planId: id, what: 'started' }, { at: clock.now().getTime() });
      const ended = { ...(await perform(leaf, visit)), variables: walk.secrets.variables() };
      record = (await journal.record(key, ended as unknown as JsonObject)) as unknown as LeafRecord<T>;
    }
    return conclude(leaf, record, visit);
  };
}

async function perform<T>(leaf: Leaf<T>, visit: StepVisit): Promise<LeafRecord<T>> {
  try {
    const { done, interrupted } = await leaf.work(visit);
    return interrupted ? { ...interruptedBy(interrupted), done } : { end: 'done', done };
  } catch (error) {
    if (visit.ctx.drain.aborted) throw visit.ctx.drain.reason;
    if (error instanceof Drained) throw visit.walk.letGo(error); // a seam cannot go on for now
    if (error instanceof Interruption) return interruptedBy(error);
    // A seam may throw an error of its own when the signal aborts.
    if (visit.ctx.signal.aborted) return interruptedBy(visit.ctx.signal.reason);
    const message = error instanceof Error ? error.message : String(error);
    return { end: 'errored', message: visit.walk.secrets.redact(message) };
  }
}

function interruptedBy({ kind, by }: Interruption): { end: InterruptionKind; by: string } {
  return { end: kind, by };
}

/** Emits at most one error event, and has the same outcome in every walk. A step that took too long has failed. */
async function conclude<T>(leaf: Leaf<T>, record: LeafRecord<T>, visit: StepVisit): Promise<Outcome> {
  const outcome = record.done === undefined ? 'failed' : await leaf.conclude(record.done, visit);
  switch (record.end) {
    case 'done':
      return outcome;
    case 'timeout':
      await visit.events.emit('error', { message: 'timeout exceeded' });
      return 'failed';
    case 'abort':
    case 'fail-fast':
      await visit.events.emit('error', { message: 'interrupted' });
      throw new Interruption(record.end, record.by);
    case 'errored':
      await visit.events.emit('error', { message: record.message ?? '' });
      throw new EngineError('step-errored', record.message ?? '');
    default:
      return assertNever(record.end);
  }
}
