import type { Queryable } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';

/** What the scheduler needs of the outside. */
export interface SchedulerContext {
  readonly db: Queryable;
  readonly clock: Pick<Clock, 'now'>;
}
