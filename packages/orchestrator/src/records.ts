import type { FetchedVersion, ResolvedResource } from '@seaplane/engine';
import type { SandboxLabels } from './host/sandbox-host.ts';

/** The orchestrator's part of the database. Each write is idempotent by its key: the first one holds. */
export interface Records {
  /** The sandbox as it was recorded, perhaps by an earlier web. */
  findSandbox(handle: string): Promise<KnownSandbox | undefined>;
  /** Returns the row that holds: this one, or the one an earlier web wrote for the same handle. */
  recordSandbox(row: SandboxRow): Promise<SandboxRow>;
  /**
   * Does the same unless the worker has as much as the limits allow: then nothing is recorded, and undefined is returned. Of
   * steps that ask at the same time, only as many are recorded as there is room for.
   */
  recordSandboxWithin(row: SandboxRow, limits: WorkerLimits): Promise<SandboxRow | undefined>;
  /** How much each of these workers has. */
  findWorkerLoads(workers: readonly string[]): Promise<ReadonlyMap<string, WorkerLoad>>;
  /** The step of this sandbox has ended, so the step does not count as active any more. */
  markStepEnded(handle: string): Promise<void>;
  /**
   * Records that a process may run in the sandbox from now on, as this user. Returns false, and records nothing, if another
   * web has the build's pen, if the build has ended, or if the sandbox is being destroyed: then no process may be started.
   */
  markSandboxCreated(handle: string, user: string, pen: BuildPen): Promise<boolean>;
  /** Records why a sandbox does not run. A step's sandbox that is `created` keeps that state: its process may have run. */
  markSandboxFailed(handle: string, reason: string): Promise<void>;
  /** A shared sandbox is in use now. One that is not used for a while is retired. */
  recordSandboxUse(handle: string): Promise<void>;

  /**
   * Sandboxes of the worker whose process has ended, in the order in which they may go if a step of the build needs room:
   * those of the build, steps that succeeded first, then those that are kept of builds that have ended, the oldest first.
   * Sandboxes that somebody was in a short while ago are left out.
   */
  findFinishedSandboxes(worker: string, buildId: number): Promise<readonly string[]>;
  /** Artifacts that only this sandbox has, and that a step or a user may still want; with the team of its build. */
  findWantedArtifacts(handle: string): Promise<readonly { readonly id: string; readonly teamId: number }[]>;
  /**
   * Marks a sandbox whose process has ended as being destroyed. Returns false, and marks nothing, if somebody is in it, or
   * if only this sandbox has an artifact that is still wanted.
   */
  claimFinishedSandbox(handle: string): Promise<boolean>;

  /** Sandboxes of the worker in which checks of one configuration take turns, the one that was used last at the end. */
  findCheckSandboxes(worker: string): Promise<readonly string[]>;
  /**
   * Marks a sandbox in which checks take turns as being destroyed. Returns false, and marks nothing, if somebody is in it. Call
   * it with the sandbox's lock, which a running check has.
   */
  claimCheckSandbox(handle: string): Promise<boolean>;

  recordArtifact(row: NewArtifact): Promise<void>;
  findArtifact(id: string): Promise<ArtifactRow | undefined>;
  /**
   * The store of the artifact's worker holds it now, so its sandbox may go. The artifact is `untouched` if nobody has entered
   * its sandbox until now.
   */
  markArtifactStored(id: string): Promise<void>;
  /** The store has lost the artifact: it is neither stored nor untouched. */
  markArtifactLost(id: string): Promise<void>;
  /** The store of another worker than the artifact's is about to get a copy. Nothing happens if the artifact has gone. */
  recordArtifactCopy(id: string, worker: string): Promise<void>;
  /**
   * Finds an upload of the build's team by its number, and keeps the artifact until the build has ended. An upload of
   * another team is not found: anybody may write any number in a plan.
   */
  findUploadedArtifact(
    number: number,
    build: { readonly id: number; readonly teamId: number },
  ): Promise<string | undefined>;
  publishArtifact(buildId: number, name: string, artifactId: string): Promise<void>;

  /** Finds a cache, and keeps it and its artifact until the build has ended. */
  findCache(cacheId: string, buildId: number): Promise<CacheRow | undefined>;
  /** Saves a cache of a type and source. Replaces an earlier one, whose artifact has gone. */
  saveCache(row: CacheRow, of: Pick<ResolvedResource, 'type' | 'source' | 'imageCacheId'>): Promise<void>;
  /** Keeps the cache until the build has ended. Nothing happens if the cache has gone. */
  recordCacheUse(cacheId: string, buildId: number): Promise<void>;
  /**
   * A step of the build runs from this artifact. Keeps the cache that holds it until the build's job has succeeded again.
   * Nothing happens if no cache holds the artifact.
   */
  recordImageUse(artifactId: string, buildId: number): Promise<void>;
  /** Runs `action` while nobody else, on any web, has the lock. `onWait` is called once if it has to wait. */
  withLock<T>(
    kind: RecordsLock,
    id: string,
    signal: AbortSignal,
    onWait: () => Promise<void>,
    action: () => Promise<T>,
  ): Promise<T>;

  /** Does the same if nobody has the lock now. Otherwise nothing runs, and undefined is returned. */
  withFreeLock<T>(kind: RecordsLock, id: string, action: () => Promise<T>): Promise<T | undefined>;

  /** Finds a task cache's artifact, and keeps it until the build has ended. */
  findTaskCache(key: TaskCacheKey, buildId: number): Promise<string | undefined>;
  /** The worker of each cache of these paths: several times, if it has several. */
  findTaskCacheWorkers(
    task: Pick<TaskCacheKey, 'jobId' | 'stepName'>,
    paths: readonly string[],
  ): Promise<readonly string[]>;
  /** With `ttlMs` the cache expires this long after its last use. */
  saveTaskCache(key: TaskCacheKey, artifactId: string, ttlMs?: number): Promise<void>;
}

export type RecordsLock =
  /** Fetching what a cache holds. */
  | 'cache'
  /** Checking in a sandbox in which checks take turns, or destroying it. */
  | 'sandbox';

/** What a worker has. */
export interface WorkerLoad {
  /** Tasks that have not ended. */
  readonly tasks: number;
  readonly sandboxes: number;
  /** Sandboxes that builds have, without those that checks share. */
  readonly buildSandboxes: number;
  /** Artifacts in the store, with copies. */
  readonly artifacts: number;
}

/** The most that a worker may have. Absent: no limit. */
export interface WorkerLimits {
  readonly tasks?: number;
  readonly sandboxes?: number;
  readonly artifacts?: number;
}

export interface SandboxRow {
  readonly handle: string;
  readonly worker: string;
  /** The step that has the sandbox. A sandbox that checks share has no owner. */
  readonly owner?: { readonly buildId: number; readonly planId: string };
  readonly labels: SandboxLabels;
  readonly workingDirectory: string;
  /** Empty until the image, which may name it, is known. */
  readonly user: string;
  /** Of a sandbox that checks share: only checks of this configuration, one at a time. */
  readonly config?: number;
}

/** The right to write to a build's journal, and so to act for the build. The web that takes the build over has a new pen. */
export interface BuildPen {
  readonly buildId: number;
  /** Only the pen with the greatest number writes. */
  readonly writer: number;
}

export interface KnownSandbox {
  readonly worker: string;
  /** `created` from just before a process was started in it, and for as long as the sandbox is not destroyed. */
  readonly state: 'creating' | 'created' | 'failed' | 'destroying';
}

/** A directory: in the sandbox that made it, in its worker's store, or both. */
export interface NewArtifact {
  readonly id: string;
  readonly worker: string;
  readonly sandbox?: { readonly handle: string; readonly path: string };
  readonly stored: boolean;
}

export interface ArtifactRow extends NewArtifact {
  /** The build whose step made it. */
  readonly buildId?: number;
  /** It was stored before anybody entered its sandbox, so it is what the step's process made. */
  readonly untouched: boolean;
  /** Other workers whose stores have a copy, unless it was never finished or has been lost since. */
  readonly copies: readonly string[];
}

export interface CacheRow extends FetchedVersion {
  readonly cacheId: string;
  readonly artifactId: string;
}

export interface TaskCacheKey {
  readonly jobId: number;
  readonly stepName: string;
  readonly path: string;
  readonly worker: string;
}
