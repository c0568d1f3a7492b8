export { abortBuild, isAborted } from './builds/abort-build.ts';
export {
  type Build,
  findBuild,
  findJobBuild,
  readPrivatePlan,
  readPublicPlan,
  setBuildComment,
} from './builds/build.ts';
export {
  createJobBuild,
  ensurePendingBuild,
  type JobBuildRequest,
  type RerunRequest,
  rerunBuild,
} from './builds/create-job-build.ts';
export {
  type Checkable,
  type CheckBuild,
  createCheckBuild,
  createOneOffBuild,
  type PlannedBuild,
} from './builds/create-started-build.ts';
export { finishBuild } from './builds/finish-build.ts';
export { startBuild } from './builds/start-build.ts';
export { Database, type DatabaseHealth, type DatabaseKind } from './database.ts';
export type { EmbeddedEvent, OnEmbeddedEvent } from './embedded/embedded-event.ts';
export {
  type EmbeddedConnection,
  EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type EmbeddedStatus,
} from './embedded/embedded-postgres.ts';
export { DbError, type DbErrorCode } from './errors.ts';
export { appendEvents } from './events/append-events.ts';
export { type EventPage, readEvents, type StoredEvent } from './events/read-events.ts';
export { type WatchDependencies, watchBuildEvents } from './events/watch-events.ts';
export type { Instance } from './instance.ts';
export {
  requestSchedule,
  requestScheduleOfPipeline,
  requestScheduleOfResource,
} from './jobs/request-schedule.ts';
export { type BuildJournal, createJournal } from './journal/journal.ts';
export type { LockKind } from './locks/lock-key.ts';
export { type Lock, Locks } from './locks/locks.ts';
export { migrate } from './migrate.ts';
export { type Migration, readMigrations } from './migration-files.ts';
export { type Channel, notify } from './notifications/channels.ts';
export { type Listener, Notifications } from './notifications/notifications.ts';
export { type DatabaseConfig, type OpenOptions, openDatabase } from './open-database.ts';
export { archiveAbandonedPipelines, archivePipeline } from './pipelines/archive-pipeline.ts';
export { inTransaction, type Queryable } from './queryable.ts';
