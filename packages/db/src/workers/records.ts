import type { Records } from '@seaplane/orchestrator';
import type pg from 'pg';
import type { Locks } from '../locks/locks.ts';
import {
  findArtifact,
  findUploadedArtifact,
  markArtifactLost,
  markArtifactStored,
  publishArtifact,
  recordArtifact,
  recordArtifactCopy,
} from './artifacts.ts';
import {
  findResourceCache,
  findTaskCache,
  findTaskCacheWorkers,
  recordCacheUse,
  recordImageUse,
  saveResourceCache,
  saveTaskCache,
} from './caches.ts';
import { GRACE_PERIODS } from './collect-sandboxes.ts';
import {
  claimCheckSandbox,
  claimFinishedSandbox,
  findCheckSandboxes,
  findFinishedSandboxes,
  findWantedArtifacts,
} from './finished-sandboxes.ts';
import { markSandboxCreated, markSandboxFailed, recordSandbox, recordSandboxUse } from './record-sandbox.ts';
import { findSandbox } from './sandbox.ts';
import { findWorkerLoads, markStepEnded, recordSandboxWithin } from './worker-loads.ts';

export interface RecordsDependencies {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'acquire' | 'tryAcquire'>;
}

/** The orchestrator's records, kept in the database. */
export function createRecords({ pool, locks }: RecordsDependencies): Records {
  return {
    async findSandbox(handle) {
      const found = await findSandbox(pool, handle);
      return found && { worker: found.workerName, state: found.state };
    },
    recordSandbox: (row) => recordSandbox(pool, row),
    recordSandboxWithin: (row, limits) => recordSandboxWithin(pool, row, limits),
    findWorkerLoads: (workers) => findWorkerLoads(pool, workers),
    markStepEnded: (handle) => markStepEnded(pool, handle),
    markSandboxCreated: (handle, user, pen) => markSandboxCreated(pool, handle, user, pen),
    markSandboxFailed: (handle, reason) => markSandboxFailed(pool, handle, reason),
    recordSandboxUse: (handle) => recordSandboxUse(pool, handle),
    findFinishedSandboxes: (worker, buildId) => findFinishedSandboxes(pool, worker, buildId, GRACE_PERIODS.hijackMs),
    findWantedArtifacts: (handle) => findWantedArtifacts(pool, handle),
    claimFinishedSandbox: (handle) => claimFinishedSandbox(pool, handle, GRACE_PERIODS.hijackMs),
    findCheckSandboxes: (worker) => findCheckSandboxes(pool, worker),
    claimCheckSandbox: (handle) => claimCheckSandbox(pool, handle, GRACE_PERIODS.hijackMs),

    recordArtifact: (row) => recordArtifact(pool, row),
    findArtifact: (id) => findArtifact(pool, id),
    markArtifactStored: (id) => markArtifactStored(pool, id),
    markArtifactLost: (id) => markArtifactLost(pool, id),
    recordArtifactCopy: (id, worker) => recordArtifactCopy(pool, id, worker),
    findUploadedArtifact: (number, build) => findUploadedArtifact(pool, number, build),
    publishArtifact: (buildId, name, artifactId) => publishArtifact(pool, buildId, name, artifactId),

    findCache: (cacheId, buildId) => findResourceCache(pool, cacheId, buildId),
    saveCache: (row, of) => saveResourceCache(pool, row, of),
    recordCacheUse: (cacheId, buildId) => recordCacheUse(pool, cacheId, buildId),
    recordImageUse: (artifactId, buildId) => recordImageUse(pool, artifactId, buildId),
    async withLock(kind, id, signal, onWait, action) {
      await using _lock = await locks.acquire(kind, id, signal, onWait);
      return await action();
    },
    async withFreeLock(kind, id, action) {
      await using lock = await locks.tryAcquire(kind, id);
      return lock && (await action());
    },

    findTaskCache: (key, buildId) => findTaskCache(pool, key, buildId),
    findTaskCacheWorkers: (task, paths) => findTaskCacheWorkers(pool, task, paths),
    saveTaskCache: (key, artifactId, ttlMs) => saveTaskCache(pool, key, artifactId, ttlMs),
  };
}
