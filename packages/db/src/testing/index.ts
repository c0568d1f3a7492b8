// For tests of other packages: what the product does through `createRecords` and `watchBuildEvents`.
export { readPrivatePlans } from '../builds/build.ts';
export { EmbeddedPostgres } from '../embedded/embedded-postgres.ts';
export { readEvents } from '../events/read-events.ts';
export { publishArtifact } from '../workers/artifacts.ts';
export { saveTaskCache } from '../workers/caches.ts';
export { recordSandbox } from '../workers/record-sandbox.ts';
export type { SandboxType } from '../workers/sandbox.ts';
export { isRunning, untilEnded } from './is-running.ts';
export { markSandboxCreated } from './mark-sandbox-created.ts';
export { type Death, mortalPool, wasKilled } from './mortal-pool.ts';
export { type SampleParts, type SavedSample, sampleJob, sampleResource, saveSample } from './sample-pipeline.ts';
export { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts';
export { FAST_SETTINGS, type TestServer, withClient } from './test-server.ts';
