import type { Step } from '../walk/step.ts';

/** Runs steps one after another, up to the first that does not succeed. */
export function doStep(steps: readonly Step[]): Step {
  return async (ctx, state) => {
    for (const step of steps) {
      const outcome = await step(ctx, state);
      if (outcome !== 'succeeded') return outcome;
    }
    return 'succeeded';
  };
}
