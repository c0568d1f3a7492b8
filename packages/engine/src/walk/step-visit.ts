import type { StepEvents } from '../output/step-events.ts';
import type { BuildState } from './build-state.ts';
import type { BuildWalk } from './build-walk.ts';
import type { StepContext } from './step.ts';

/** Which step of a build. */
export interface StepPlace {
  /** Its plan's. */
  readonly id: string;
  /** Which attempt of each retry around it, outermost first. */
  readonly attempts: readonly number[];
}

/** A step that is being run, in this walk. */
export interface StepVisit extends StepPlace {
  readonly walk: BuildWalk;
  readonly ctx: StepContext;
  readonly state: BuildState;
  readonly events: StepEvents;
}
