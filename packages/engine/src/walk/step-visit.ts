import type { StepEvents } from '../output/step-events.ts';
import type { BuildState } from './build-state.ts';
import type { BuildWalk } from './build-walk.ts';
import type { StepContext } from './step.ts';

/** Which step of a build, and in which attempt. */
export interface StepPlace {
  /** The id of its plan. */
  readonly id: string;
  /** The number of the attempt in each retry around the step, outermost first. */
  readonly attempts: readonly number[];
}

/** A leaf or `across` that this walk is running. */
export interface StepVisit extends StepPlace {
  readonly walk: BuildWalk;
  readonly ctx: StepContext;
  readonly state: BuildState;
  readonly events: StepEvents;
}
