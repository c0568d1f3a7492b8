import type { FinalStatus } from '../events.ts';
import type { BuildState } from './build-state.ts';
import { Drained, Interruption } from './interruption.ts';

/** How a step that ran to its end has ended. Red tests are an outcome, not an exception. */
export type Outcome = 'succeeded' | 'failed';

/**
 * A runnable plan. A step returns its outcome. It throws an {@link Interruption} when it was interrupted, {@link
 * Drained} when this walk must stop, and any other error when it errored. In a later walk the same step must end in the
 * same way; the journal tells it how.
 */
export type Step = (ctx: StepContext, state: BuildState) => Promise<Outcome>;

export interface StepContext {
  /** Ends the step. Its reason is an {@link Interruption} or {@link Drained}. */
  readonly signal: AbortSignal;
  /** Aborts only when this walk must stop. It is the signal of the hooks of an interrupted step. */
  readonly drain: AbortSignal;
  /** In a hook: how the hook's step ended. */
  readonly hookOf?: FinalStatus;
}

export type Settled = { readonly outcome: Outcome } | { readonly error: Error };

/** Returns an error as a value. Only {@link Drained} is thrown, because nothing may run after it. */
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

/** The context for a hook of an interrupted step: the interruption of the step must not end the hook. */
export function withFreshSignal(ctx: StepContext): StepContext {
  return { ...ctx, signal: ctx.drain };
}

/** Several errors as one. An interruption among them wins, because it caused the others. */
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
