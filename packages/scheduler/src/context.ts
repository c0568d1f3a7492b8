import type { BaseTypeDefaults, CheckIntervals } from '@seaplane/config';
import type { Queryable } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import type { StoredPipelines } from './stored-pipelines.ts';

/** Everything that the scheduler works with. */
export interface SchedulerContext {
  readonly db: Queryable;
  readonly clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly storedPipelines: Pick<StoredPipelines, 'read'>;
  /** An operator's defaults for the sources of base types. */
  readonly baseTypeDefaults?: BaseTypeDefaults;
  /** An operator's intervals for what has no `check_every`. */
  readonly checkIntervals?: CheckIntervals;
}
