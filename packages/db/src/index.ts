export { listBuildsWithVersion } from './api/builds-with-version.ts';
export { readConfigText } from './api/config-text.ts';
export { configToSave } from './api/config-to-save.ts';
export { type NextInput, readNextInputs } from './api/next-inputs.ts';
export { listSharedBy, type SharedBy, type SharedName } from './api/shared-scope.ts';
export { abortBuild } from './builds/abort-build.ts';
export {
  type Build,
  findBuild,
  findBuilds,
  findJobBuild,
  readPrivatePlan,
  readPublicPlan,
  setBuildComment,
} from './builds/build.ts';
export { type Blocking, type BuildPreparation, readBuildPreparation } from './builds/build-preparation.ts';
export { type BuildInput, type BuildOutput, readBuildResources } from './builds/build-resources.ts';
export { deleteOldChecks, deleteUnusedConfigs, reapBuilds } from './builds/collect-builds.ts';
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
export { type BuildFilter, type BuildPage, type BuildRange, listBuilds } from './builds/list-builds.ts';
export { startBuild } from './builds/start-build.ts';
export { listStartedBuilds, type StartedBuild, type TrackedBuild, trackBuild } from './builds/tracked-builds.ts';
export {
  type Component,
  findComponent,
  listComponents,
  pauseComponent,
  recordComponentRun,
  registerComponent,
} from './components/components.ts';
export { isConnectionLost } from './connection-lost.ts';
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
  findJob,
  type Job,
  type JobInput,
  type JobOutput,
  listJobInputs,
  listJobOutputs,
  listJobs,
  pauseJob,
  readJobConfig,
  unpauseJob,
} from './jobs/job.ts';
export {
  requestSchedule,
  requestScheduleOfPipeline,
  requestScheduleOfRefused,
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
export {
  destroyPipeline,
  exposePipeline,
  orderInstances,
  orderPipelines,
  pausePipeline,
  renamePipeline,
  unpausePipeline,
} from './pipelines/change-pipeline.ts';
export {
  findPipeline,
  findPipelineById,
  listPipelines,
  type Pipeline,
  type PipelineFilter,
  readPipelineConfig,
} from './pipelines/pipeline.ts';
export type {
  InputToSave,
  JobToSave,
  PipelineToSave,
  ResourceToSave,
  TypeToSave,
} from './pipelines/pipeline-to-save.ts';
export {
  type PipelineRef,
  type SavePipelineRequest,
  type SavePipelineResult,
  savePipeline,
} from './pipelines/save-pipeline.ts';
export { inTransaction, prepared, type Queryable } from './queryable.ts';
export { createResources, type ResourcesDependencies } from './resources/create-resources.ts';
export {
  findVersion,
  listVersions,
  type ResourceVersion,
  type VersionPage,
  type VersionRange,
} from './resources/list-versions.ts';
export {
  clearVersions,
  enableVersion,
  type PinResult,
  pinVersion,
  setPinComment,
  unpin,
} from './resources/pins.ts';
export { findResource, listResources, listTypes, type NamedType, type Resource } from './resources/resource.ts';
export {
  deleteAccessToken,
  deleteExpiredAccessTokens,
  findAccessToken,
  saveAccessToken,
} from './teams/access-tokens.ts';
export { type Account, listAccountsSince, recordLogin } from './teams/accounts.ts';
export {
  destroyTeam,
  ensureMainTeam,
  findTeam,
  listTeams,
  type Role,
  renameTeam,
  saveTeam,
  type Team,
  type TeamAuth,
} from './teams/teams.ts';
export { clearWall, readWall, setWall, type Wall } from './teams/wall.ts';

export {
  createUploadedArtifact,
  findArtifact,
  findWorkerArtifact,
  listBuildArtifacts,
  markArtifactStored,
  publishArtifact,
  recordArtifact,
  type WorkerArtifact,
} from './workers/artifacts.ts';
export {
  clearTaskCaches,
  findResourceCache,
  findTaskCache,
  saveResourceCache,
  saveTaskCache,
} from './workers/caches.ts';
export {
  ARTIFACT_AGES,
  type ArtifactAges,
  claimUnwantedArtifacts,
  findUnknownArtifacts,
  forgetUnusedArtifacts,
} from './workers/collect-artifacts.ts';
export {
  claimUnwantedSandboxes,
  forgetMissingSandboxes,
  forgetSandbox,
  GRACE_PERIODS,
  type GracePeriods,
  isToBeDestroyed,
  markUninterceptible,
  reconcileSandboxes,
} from './workers/collect-sandboxes.ts';
export {
  markSandboxCreated,
  markSandboxFailed,
  recordHijack,
  recordSandbox,
  recordSandboxUse,
} from './workers/record-sandbox.ts';
export { createRecords, type RecordsDependencies } from './workers/records.ts';
export { findSandbox, listSandboxes, type Sandbox, type SandboxFilter, type SandboxType } from './workers/sandbox.ts';
export {
  finishLeaving,
  landWorker,
  pruneWorker,
  retireWorker,
  stallSilentWorkers,
} from './workers/worker-states.ts';
export {
  findWorker,
  listWorkers,
  reportWorker,
  type Worker,
  type WorkerReport,
  type WorkerState,
} from './workers/workers.ts';
