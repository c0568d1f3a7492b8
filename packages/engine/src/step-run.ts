import type { BuildRun } from './build-run.ts';
import type { RunState } from './run-state.ts';
import type { StepContext } from './step.ts';
import type { StepEvents } from './step-events.ts';

/** Which step of a build. */
export interface StepPlace {
  /** Its plan's. */
  readonly id: string;
  /** Which attempt of each retry around it, outermost first. */
  readonly attempts: readonly number[];
}

/** A step that is being run, in this walk. */
export interface StepRun extends StepPlace {
  readonly run: BuildRun;
  readonly ctx: StepContext;
  readonly state: RunState;
  readonly events: StepEvents;
}
