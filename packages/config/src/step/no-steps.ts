import * as v from 'valibot';
import { list } from '../fields.ts';
import type { StepConfig } from './step.ts';

/**
 * The steps of a plan or a `do` that was not written, or is null. In the JSON of a pipeline it is null, and an empty list
 * is an empty list: fly shows the difference between the two as a change.
 */
export const NO_STEPS: readonly StepConfig[] = Object.freeze([]);

export function stepsOrNone(step: v.GenericSchema<unknown, StepConfig>) {
  const steps = list(step);
  const none = v.custom<readonly StepConfig[]>((value) => value === NO_STEPS);
  const either = v.lazy(
    (input): v.GenericSchema<unknown, readonly StepConfig[]> => (input === NO_STEPS ? none : steps),
  );
  return v.nullish(either, NO_STEPS);
}
