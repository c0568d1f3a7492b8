import type { FinalStatus } from '../events.ts';
import type { BuildState } from './build-state.ts';
import { Drained, Interruption } from './interruption.ts';

/** How a step ended that ran to its end. Red tests are no exception; see {@link Step} for what is. */
export type Outcome = 'succeeded' | 'failed';

/**
 * A step: everything a plan can hold, made a value that can be run. It returns an outcome; it throws an
 * {@link Interruption} when it was made to end, {@link Drained} when this walk must stop, and any other error when the
 * step errored. Running it again in a later walk must end where this walk did: steps remember through the journal.
 */
export type Step = (ctx: StepContext, state: BuildState) => Promise<Outcome>;

export interface StepContext {
  /** Ends the step. Its reason is an {@link Interruption} or {@link Drained}. */
  readonly signal: AbortSignal;
  /** Fires only when this walk must stop. It is all that the hook of an interrupted step heeds. */
  readonly drain: AbortSignal;
  /** In a hook: how the step ended that it belongs to. */
  readonly hookOf?: FinalStatus;
}

export type Settled = { readonly outcome: Outcome } | { readonly error: Error };

/** What became of a step, errors included; only {@link Drained} is thrown, for nothing may follow it. */
export async function settle(running: Promise<Outcome>): Promise<Settled> {
  try {
    return { outcome: await running };
  } catch (error) {
    if (error instanceof Drained) throw error;
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** The reverse of {@link settle}. */
export function unsettle(settled: Settled): Outcome {
  if ('error' in settled) throw settled.error;
  return settled.outcome;
}

/** For hooks of an interrupted step: what interrupted the step must not end its hook. */
export function withFreshSignal(ctx: StepContext): StepContext {
  return { ...ctx, signal: ctx.drain };
}

/** One error of several; an interruption among them says more than the errors it caused. */
export function mergeErrors(errors: readonly Error[]): Error {
  const interruption = errors.find((error) => error instanceof Interruption);
  if (interruption) return interruption;
  const [first, ...others] = errors.flatMap((error) => (error instanceof AggregateError ? error.errors : [error]));
  return others.length === 0 ? first : severalErrors([first, ...others]);
}

/** Several errors as one, in the words that users of Concourse know. */
export function severalErrors(errors: readonly Error[]): AggregateError {
  const all = errors.flatMap((error): Error[] => (error instanceof AggregateError ? error.errors : [error]));
  const heading = all.length === 1 ? '1 error occurred:' : `${all.length} errors occurred:`;
  return new AggregateError(all, `${heading}\n${all.map((error) => `\t* ${error.message}\n`).join('')}\n`);
}
