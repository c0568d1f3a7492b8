import { newBuildState } from '../walk/build-state.ts';
import type { Outcome, Step, StepContext } from '../walk/step.ts';

/** A step that does as a test says, and remembers the contexts it ran in. */
export interface ScriptedStep {
  readonly step: Step;
  readonly runs: StepContext[];
}

/** `until-interrupted` runs until its signal aborts and throws the reason. */
export function scriptedStep(does: Outcome | Error | 'until-interrupted' | Step): ScriptedStep {
  const runs: StepContext[] = [];
  return {
    runs,
    step: async (ctx, state) => {
      runs.push(ctx);
      if (typeof does === 'function') return does(ctx, state);
      if (does instanceof Error) throw does;
      if (does !== 'until-interrupted') return does;
      return untilAborted(ctx.signal);
    },
  };
}

/** Throws the signal's reason once it aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

/** A context of its own, and the controllers of its two signals. */
export function testContext(): { ctx: StepContext; abort: AbortController; drain: AbortController } {
  const abort = new AbortController();
  const drain = new AbortController();
  return { ctx: { signal: AbortSignal.any([abort.signal, drain.signal]), drain: drain.signal }, abort, drain };
}

/** Runs a step by itself. */
export function runStep(step: Step, ctx: StepContext = testContext().ctx): Promise<Outcome> {
  return step(ctx, newBuildState());
}
