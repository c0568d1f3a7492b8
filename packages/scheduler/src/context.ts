import type { Queryable } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';

/** The database and the clock that the scheduler works with. */
export interface SchedulerContext {
  readonly db: Queryable;
  readonly clock: Pick<Clock, 'now'>;
}
