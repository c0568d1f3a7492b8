import type { JsonObject, VarReference } from '@seaplane/config';
import type { BuildRun } from '../build-run.ts';
import { EngineError } from '../engine-error.ts';
import { Drained, Interruption, type InterruptionKind } from '../interruption.ts';
import type { Outcome, Step } from '../step.ts';
import { stepEvents } from '../step-events.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { trackAgain } from '../track-again.ts';

/** A step that does something itself. `T`, what it did, must be JSON: the journal keeps it. */
export interface Leaf<T> {
  /** Does the work. A walk after a crash calls it again, and it must come to the same result without doing things twice. */
  readonly work: (at: StepRun) => Promise<Worked<T>>;
  /** What follows from the result, in this walk and every later one: last events, artifacts, variables. */
  readonly conclude: (done: T, at: Pick<StepRun, 'events' | 'state'>) => Promise<Outcome>;
}

/** Interrupted work may have a result, too: the outputs of a task. */
export type Worked<T> = { readonly done: T; readonly interrupted?: Interruption | undefined };

/** How a leaf ended, as the journal keeps it. */
interface LeafRecord<T> {
  readonly end: 'done' | 'errored' | InterruptionKind;
  readonly done?: T;
  /** Of an error. */
  readonly message?: string;
  /** Of an interruption. */
  readonly by?: string;
  /** The variables looked up so far, so that a later walk knows what to redact. */
  readonly variables?: readonly VarReference[];
}

/** Makes a step of a leaf: once it has ended, every later walk ends it the same way without running it. */
export function leafStep<T>(run: BuildRun, plan: StepPlace, leaf: Leaf<T>): Step {
  const { journal, clock } = run.seams;
  const { id, attempts } = plan;
  return async (ctx, state) => {
    const at: StepRun = { run, id, attempts, ctx, state, events: stepEvents(run, id) };
    const key = { planId: id, what: 'result' } as const;
    let record = (await journal.read(key)) as LeafRecord<T> | undefined;
    if (record) await trackAgain(at, record.variables ?? []);
    else {
      await journal.record({ planId: id, what: 'started' }, { at: clock.now().getTime() });
      const ended = { ...(await perform(leaf, at)), variables: run.secrets.variables() };
      record = (await journal.record(key, ended as unknown as JsonObject)) as unknown as LeafRecord<T>;
    }
    return conclude(leaf, record, at);
  };
}

async function perform<T>(leaf: Leaf<T>, at: StepRun): Promise<LeafRecord<T>> {
  try {
    const { done, interrupted } = await leaf.work(at);
    return interrupted ? { ...interruptedBy(interrupted), done } : { end: 'done', done };
  } catch (error) {
    if (at.ctx.drain.aborted) throw at.ctx.drain.reason;
    if (error instanceof Drained) throw at.run.letGo(error); // whoever was asked can't go on for now
    if (error instanceof Interruption) return interruptedBy(error);
    // Who was waited for when the signal aborted may have words of its own for it.
    if (at.ctx.signal.aborted) return interruptedBy(at.ctx.signal.reason);
    const message = error instanceof Error ? error.message : String(error);
    return { end: 'errored', message: at.run.secrets.redact(message) };
  }
}

function interruptedBy({ kind, by }: Interruption): { end: InterruptionKind; by: string } {
  return { end: kind, by };
}

/** One error event at most, and the same outcome in every walk. A step that took too long has failed. */
async function conclude<T>(leaf: Leaf<T>, record: LeafRecord<T>, at: StepRun): Promise<Outcome> {
  const outcome = record.done === undefined ? 'failed' : await leaf.conclude(record.done, at);
  switch (record.end) {
    case 'done':
      return outcome;
    case 'timeout':
      await at.events.emit('error', { message: 'timeout exceeded' });
      return 'failed';
    case 'abort':
    case 'fail-fast':
      await at.events.emit('error', { message: 'interrupted' });
      throw new Interruption(record.end, record.by);
    case 'errored':
      await at.events.emit('error', { message: record.message ?? '' });
      throw new EngineError('step-errored', record.message ?? '');
    default:
      return record.end satisfies never;
  }
}
