import type { Plan } from '@seaplane/config';
import type { BuildInfo, EngineSeams } from '../seams.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Drained } from './interruption.ts';
import type { Step } from './step.ts';

/** One walk of one build, as all its steps share it. */
export interface BuildWalk {
  /** Its journal is guarded: when the journal fails, the walk is drained. */
  readonly seams: EngineSeams;
  readonly build: BuildInfo;
  readonly secrets: Secrets;
  /** Drains the walk: all its steps stop where they are. Throw the returned reason. */
  readonly letGo: (reason: Drained) => Drained;
  /** Makes a step of a plan that the build's plan does not hold: of an image to fetch, or an iteration of `across`. */
  readonly stepOf: (plan: Plan, attempts: readonly number[]) => Step;
}
