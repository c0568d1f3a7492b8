import type pg from 'pg';
import type { Locks } from '../locks/locks.ts';
import {
  type ArtifactRecord,
  artifactStored,
  findArtifact,
  findWorkerArtifact,
  publishArtifact,
  recordArtifact,
} from './artifacts.ts';
import {
  type CacheRecord,
  findResourceCache,
  findTaskCache,
  saveResourceCache,
  saveTaskCache,
  type TaskCacheKey,
} from './caches.ts';
import { recordSandbox, type SandboxRecord, sandboxCreated, sandboxFailed, sandboxUsed } from './record-sandbox.ts';
import { findSandbox } from './sandbox.ts';

export interface RecordsDependencies {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'acquire'>;
}

/** What the orchestrator keeps, in the database: its own `Records`, method by method. */
export function createRecords({ pool, locks }: RecordsDependencies) {
  return {
    async findSandbox(handle: string) {
      const found = await findSandbox(pool, handle);
      return found && { worker: found.workerName, state: found.state };
    },
    recordSandbox: <R extends SandboxRecord>(row: R) => recordSandbox(pool, row),
    sandboxCreated: (handle: string) => sandboxCreated(pool, handle),
    sandboxFailed: (handle: string, reason: string) => sandboxFailed(pool, handle, reason),
    sandboxUsed: (handle: string) => sandboxUsed(pool, handle),

    recordArtifact: (row: ArtifactRecord) => recordArtifact(pool, row),
    findArtifact: (id: string) => findArtifact(pool, id),
    artifactStored: (id: string) => artifactStored(pool, id),
    async uploadedArtifact(number: number, teamId: number) {
      const found = await findWorkerArtifact(pool, number);
      return found?.teamId === teamId ? found.artifactId : undefined;
    },
    publishArtifact: (buildId: number, name: string, artifactId: string) =>
      publishArtifact(pool, buildId, name, artifactId),

    findCache: (cacheId: string) => findResourceCache(pool, cacheId),
    saveCache: (row: CacheRecord) => saveResourceCache(pool, row),
    async withCacheLock<T>(
      cacheId: string,
      signal: AbortSignal,
      onWait: () => Promise<void>,
      action: () => Promise<T>,
    ): Promise<T> {
      await using _lock = await locks.acquire('cache', cacheId, signal, onWait);
      return await action();
    },

    findTaskCache: (key: TaskCacheKey) => findTaskCache(pool, key),
    saveTaskCache: (key: TaskCacheKey, artifactId: string) => saveTaskCache(pool, key, artifactId),
  };
}
