import type { Plan } from '@seaplane/config';
import type { BuildInfo, EngineSeams } from '../seams.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Drained } from './interruption.ts';
import type { Step } from './step.ts';

/** One walk of one build: what all its steps share. */
export interface BuildWalk {
  /** The journal among them is guarded: when it fails, the walk ends. */
  readonly seams: EngineSeams;
  readonly build: BuildInfo;
  readonly secrets: Secrets;
  /** Makes all steps of this walk stop where they are; throw what it returns. */
  readonly letGo: (reason: Drained) => Drained;
  /** Makes a step of a plan that is known only now: an image to fetch, an iteration of `across`. */
  readonly stepOf: (plan: Plan, attempts: readonly number[]) => Step;
}
