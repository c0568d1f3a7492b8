import type { Step } from '../walk/step.ts';

/** A step within a composite step. */
export interface Member {
  readonly step: Step;
  /** Whether an earlier walk began the step. Such a step must go on, even in a build that has been aborted since. */
  readonly hasBegun: () => Promise<boolean>;
}
