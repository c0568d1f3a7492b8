import type { Plan } from '@seaplane/config';
import type { Queryable } from '@seaplane/db';
import type { PublicPlan } from '@seaplane/engine';
import type { AdoptedInput } from './next-inputs.ts';
import type { PendingBuild } from './pending-builds.ts';
import type { ScheduledJob } from './read-job.ts';

/** What scheduling needs of the outside. */
export interface SchedulerContext {
  readonly db: Queryable;
  /** Makes the plan of a build that starts with these inputs. Throws `unplannable` where there is none to be made. */
  planBuild(job: ScheduledJob, build: PendingBuild, inputs: readonly AdoptedInput[]): Promise<PlannedBuild>;
  /** Has a resource checked soon. When that check has ended, jobs with pending builds that wait for it are looked at. */
  requestCheck(resourceId: number, manuallyTriggered: boolean): Promise<void>;
  onError(error: unknown): void;
}

export interface PlannedBuild {
  readonly plan: Plan;
  readonly publicPlan: PublicPlan;
}
