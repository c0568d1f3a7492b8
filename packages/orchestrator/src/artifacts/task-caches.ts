import type { ArtifactRef, StepIo, TaskRequest } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import type { Placement } from '../placement/placement.ts';
import type { StepWorker } from '../placement/workers.ts';
import type { TaskCacheKey } from '../records.ts';
import { readerOn } from './artifact-reader.ts';

/** A directory that a task keeps from one build of its job to the next, and its path in the sandbox. */
export interface TaskCache {
  readonly key: TaskCacheKey;
  readonly path: string;
  readonly ttlMs?: number | undefined;
}

/** One-off builds have none: they have no job to keep a cache for. */
export function taskCaches(
  io: StepIo,
  { caches, cacheOwner }: TaskRequest,
  worker: StepWorker,
  at: (path: string) => string,
): TaskCache[] {
  if (!cacheOwner) return [];
  const { stepName } = io.identity;
  return caches.map(({ path, ttlMs }) => ({
    key: { jobId: cacheOwner.jobId, stepName, path, worker: worker.name },
    path: at(path),
    ttlMs,
  }));
}

/** Finds the caches that earlier builds have left and that still exist. */
export async function findFilledCaches(
  context: BuildContext,
  io: StepIo,
  worker: StepWorker,
  caches: readonly TaskCache[],
): Promise<{ path: string; artifact: ArtifactRef }[]> {
  const { records, artifacts, build } = context;
  const reader = readerOn(worker, context, io);
  const found = [];
  for (const { key, path } of caches) {
    const id = await records.findTaskCache(key, build.id);
    if (id !== undefined && (await artifacts.isThere({ id }, reader))) found.push({ path, artifact: { id } });
  }
  return found;
}

/**
 * Keeps the directories for the next build, also those of a task that failed. The last writer wins. If a directory can't be
 * kept, the log says so, and the task's result does not change.
 */
export async function saveCaches(
  { records, artifacts, build }: BuildContext,
  io: StepIo,
  { worker, handle }: Placement,
  caches: readonly TaskCache[],
): Promise<void> {
  for (const { key, path, ttlMs } of caches) {
    const artifact = await artifacts.record(worker, handle, path);
    try {
      await artifacts.keep(artifact, build.teamId, io.signal);
    } catch (error) {
      io.signal.throwIfAborted();
      const text = `the cache ${key.path} is not kept for the next build: ${(error as Error).message}`;
      await io.notice({ kind: 'message', text });
      continue;
    }
    await records.saveTaskCache(key, artifact.id, ttlMs);
  }
}
