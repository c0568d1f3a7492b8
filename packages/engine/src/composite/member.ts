import type { Step } from '../walk/step.ts';

/** A step within a composite step. */
export interface Member {
  readonly step: Step;
  /** Whether an earlier walk began it. Then it must be gone on with, even in a build that is aborted by now. */
  readonly hasBegun: () => Promise<boolean>;
}
