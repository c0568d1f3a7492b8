export { abortBuild } from './builds/abort-build.ts';
export { type Build, findBuild, findBuilds, findJobBuild, readPublicPlan, setBuildComment } from './builds/build.ts';
export { type BuildPreparation, readBuildPreparation } from './builds/build-preparation.ts';
export { readBuildResources } from './builds/build-resources.ts';
export { listBuildsWithVersion } from './builds/builds-with-version.ts';
export {
  type Causality,
  type CausalityDirection,
  type CausalityUse,
  readCausality,
} from './builds/causality.ts';
export { deleteOldChecks, deleteUnusedConfigs } from './builds/collect-builds.ts';
export { createJobBuild, ensurePendingBuild, rerunBuild } from './builds/create-job-build.ts';
export { type Checkable, createCheckBuild, createOneOffBuild } from './builds/create-started-build.ts';
export { finishBuild } from './builds/finish-build.ts';
export { type BuildFilter, listBuilds } from './builds/list-builds.ts';
export { type LogRetentionLimits, reapBuildLogs } from './builds/reap-build-logs.ts';
export { startBuild } from './builds/start-build.ts';
export { listStartedBuilds, type StartedBuild, type TrackedBuild, trackBuilds } from './builds/tracked-builds.ts';
export {
  listComponents,
  pauseAllComponents,
  pauseComponent,
  recordComponentRuns,
  registerComponent,
} from './components/components.ts';
export { isConnectionLost } from './connection-lost.ts';
export { Database, type DatabaseKind } from './database.ts';
export { deleteEmbedded } from './embedded/delete-embedded.ts';
export type { EmbeddedEvent } from './embedded/embedded-event.ts';
export { DbError } from './errors.ts';
export { appendEvents } from './events/append-events.ts';
export { EventFeeds, type WatchDependencies } from './events/event-feeds.ts';
export { readEvents, type StoredEvent } from './events/read-events.ts';
export {
  addIdentityKey,
  deleteReplacedIdentityKeys,
  findNewestIdentityKey,
  type IdentityAlgorithm,
  isIdentityKeyFresh,
  listPublicIdentityKeys,
} from './identity/identity-keys.ts';
export {
  findJob,
  type Job,
  listJobInputs,
  listJobOutputs,
  listJobs,
  pauseJob,
  type StoredJobInput,
  type StoredJobOutput,
  unpauseJob,
} from './jobs/job.ts';
export { readNextInputs } from './jobs/next-inputs.ts';
export { requestSchedule, requestScheduleOfRefused } from './jobs/request-schedule.ts';
export { type BuildJournal, createJournal } from './journal/journal.ts';
export { Locks } from './locks/locks.ts';
export type { Change } from './notifications/changes.ts';
export type { Channel } from './notifications/channels.ts';
export { EventAnnouncer } from './notifications/event-announcer.ts';
export { Notifications } from './notifications/notifications.ts';
export { type DatabaseConfig, openDatabase } from './open-database.ts';
export { archiveAbandonedPipelines, archivePipeline } from './pipelines/archive-pipeline.ts';
export {
  destroyPipeline,
  exposePipeline,
  orderInstances,
  orderPipelines,
  pauseIdlePipelines,
  pausePipeline,
  renamePipeline,
  unpausePipeline,
} from './pipelines/change-pipeline.ts';
export { readConfigText } from './pipelines/config-text.ts';
export { configToSave } from './pipelines/config-to-save.ts';
export {
  findPipeline,
  findPipelineById,
  listPipelines,
  type Pipeline,
  readPipelineConfig,
  readPipelineConfigUnless,
} from './pipelines/pipeline.ts';
export { type PipelineAudience, readAudiences } from './pipelines/pipeline-audience.ts';
export { adoptPipeline, type PipelineRef, savePipeline } from './pipelines/save-pipeline.ts';
export { inTransaction, prepared, type Queryable } from './queryable.ts';
export { createResources } from './resources/create-resources.ts';
export { findVersion, listVersions, type ResourceVersion } from './resources/list-versions.ts';
export { clearVersions, enableVersion, pinVersion, setPinComment, unpin } from './resources/pins.ts';
export { findResource, listResources, listTypes, type NamedType, type Resource } from './resources/resource.ts';
export { listSharedBy, type SharedName } from './resources/shared-scope.ts';
export { checkEncryptionKey, type EncryptionKeys } from './secrets/vault.ts';
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
} from './teams/teams.ts';
export { clearWall, readWall, setWall } from './teams/wall.ts';

export {
  createUploadedArtifact,
  findWorkerArtifact,
  listBuildArtifacts,
  type WorkerArtifact,
} from './workers/artifacts.ts';
export { clearResourceCaches, clearTaskCaches } from './workers/caches.ts';
export {
  ARTIFACT_AGES,
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
export { claimSurplusSandboxes, listFinishedSandboxes } from './workers/finished-sandboxes.ts';
export { recordHijack } from './workers/record-sandbox.ts';
export { createRecords } from './workers/records.ts';
export { findSandbox, listSandboxes, type Sandbox, type SandboxFilter } from './workers/sandbox.ts';
export { listVolumes, type Volume, type VolumeResourceType } from './workers/volumes.ts';
export {
  deleteLandedWorker,
  finishLeaving,
  forgetBelongings,
  landWorker,
  pruneWorker,
  readmitWorker,
  readWorkerStates,
  retireWorker,
  stallSilentWorkers,
} from './workers/worker-states.ts';
export { findWorker, listWorkers, reportWorker, type Worker, type WorkerState } from './workers/workers.ts';
