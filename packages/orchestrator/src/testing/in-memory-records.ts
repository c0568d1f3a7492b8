import { refusalOf } from '../placement/strategies.ts';
import type {
  ArtifactRow,
  BuildPen,
  CacheRow,
  KnownSandbox,
  NewArtifact,
  Records,
  RecordsLock,
  SandboxRow,
  TaskCacheKey,
  WorkerLimits,
  WorkerLoad,
} from '../records.ts';
import { withSignal } from '../with-signal.ts';

/** Records in memory. */
export class InMemoryRecords implements Records {
  readonly sandboxes = new Map<string, SandboxRow & { state: KnownSandbox['state']; reason?: string }>();
  /** The steps that have ended, by build and plan, and whether they succeeded. */
  readonly ends = new Map<string, boolean>();
  readonly endedBuilds = new Set<number>();
  /** The number of each build's pen. A build that is not here accepts any pen. */
  readonly pens = new Map<number, number>();
  /** The handle of each recorded use of a sandbox. */
  readonly uses: string[] = [];
  /** The handles of sandboxes that somebody has entered. */
  readonly hijacked = new Set<string>();
  readonly artifacts = new Map<string, ArtifactRow>();
  readonly caches = new Map<string, CacheRow>();
  readonly cacheUses: { readonly cacheId: string; readonly buildId: number; image: boolean }[] = [];
  /** Artifacts that a build found and did not make. */
  readonly artifactUses: { readonly buildId: number; readonly artifactId: string }[] = [];
  readonly uploads = new Map<number, { readonly teamId: number; readonly artifactId: string }>();
  readonly published: { buildId: number; name: string; artifactId: string }[] = [];
  readonly #taskCaches = new Map<string, string>();
  readonly #endedSteps = new Set<string>();
  /** Held locks. Each resolves when it is free. */
  readonly #locks = new Map<string, Promise<void>>();

  async findSandbox(handle: string): Promise<KnownSandbox | undefined> {
    const known = this.sandboxes.get(handle);
    return known && { worker: known.worker, state: known.state };
  }

  async recordSandbox(row: SandboxRow): Promise<SandboxRow> {
    const known = this.sandboxes.get(row.handle);
    if (!known) this.sandboxes.set(row.handle, { ...row, state: 'creating' });
    else if (!known.owner && known.state === 'destroying')
      this.sandboxes.set(row.handle, { ...known, state: 'creating' });
    const { state: _state, reason: _reason, ...first } = known ?? { ...row, state: 'creating' };
    return first;
  }

  async recordSandboxWithin(row: SandboxRow, limits: WorkerLimits): Promise<SandboxRow | undefined> {
    if (!this.sandboxes.has(row.handle) && refusalOf(this.#loadOf(row.worker), limits)) return undefined;
    return this.recordSandbox(row);
  }

  async findWorkerLoads(workers: readonly string[]): Promise<ReadonlyMap<string, WorkerLoad>> {
    return new Map(workers.map((worker) => [worker, this.#loadOf(worker)]));
  }

  async markStepEnded(handle: string): Promise<void> {
    this.#endedSteps.add(handle);
  }

  async markSandboxCreated(handle: string, user: string, { buildId, writer }: BuildPen): Promise<boolean> {
    const row = this.sandboxes.get(handle);
    if (!row || row.state === 'destroying' || (this.pens.get(buildId) ?? writer) !== writer) return false;
    this.sandboxes.set(handle, { ...row, state: 'created', user });
    return true;
  }

  async markSandboxFailed(handle: string, reason: string): Promise<void> {
    const row = this.sandboxes.get(handle);
    if (!row) return;
    const state = row.owner && row.state === 'created' ? row.state : 'failed';
    this.sandboxes.set(handle, { ...row, state, reason });
  }

  async recordSandboxUse(handle: string): Promise<void> {
    this.uses.push(handle);
  }

  async findFinishedSandboxes(worker: string, buildId: number): Promise<string[]> {
    const finished = [...this.sandboxes.values()].filter((row) => row.worker === worker && this.#mayGo(row, buildId));
    const rank = ({ owner }: SandboxRow) => {
      if (owner?.buildId !== buildId) return 2 + [...this.endedBuilds].indexOf(owner?.buildId ?? 0);
      return this.ends.get(stepKey(owner)) ? 0 : 1;
    };
    return finished.sort((a, b) => rank(a) - rank(b)).map(({ handle }) => handle);
  }

  async findWantedArtifacts(handle: string): Promise<{ id: string; teamId: number }[]> {
    const build = this.sandboxes.get(handle)?.owner?.buildId ?? 0;
    const kept = new Set([
      ...[...this.caches.values(), ...this.published].map(({ artifactId }) => artifactId),
      ...this.#taskCaches.values(),
    ]);
    return [...this.artifacts.values()]
      .filter(
        ({ id, sandbox, stored }) =>
          sandbox?.handle === handle && !stored && (!this.endedBuilds.has(build) || kept.has(id)),
      )
      .map(({ id }) => ({ id, teamId: 1 }));
  }

  async claimFinishedSandbox(handle: string): Promise<boolean> {
    const row = this.sandboxes.get(handle);
    if (!row || !this.#mayGo(row, row.owner?.buildId ?? 0)) return false;
    if ((await this.findWantedArtifacts(handle)).length > 0) return false;
    this.sandboxes.set(handle, { ...row, state: 'destroying' });
    return true;
  }

  async findCheckSandboxes(worker: string): Promise<string[]> {
    const own = [...this.sandboxes.values()].filter(
      (row) => row.worker === worker && row.config !== undefined && row.state !== 'destroying',
    );
    const used = ({ handle }: SandboxRow) => this.uses.lastIndexOf(handle);
    return own.sort((a, b) => used(a) - used(b)).map(({ handle }) => handle);
  }

  async claimCheckSandbox(handle: string): Promise<boolean> {
    const row = this.sandboxes.get(handle);
    if (row?.config === undefined || row.state === 'destroying' || this.hijacked.has(handle)) return false;
    this.sandboxes.set(handle, { ...row, state: 'destroying' });
    return true;
  }

  async recordArtifact(row: NewArtifact): Promise<void> {
    const known = this.artifacts.get(row.id);
    const { buildId } = this.sandboxes.get(row.sandbox?.handle ?? '')?.owner ?? {};
    const made = { ...row, ...(buildId === undefined ? {} : { buildId }), untouched: false, copies: [] };
    this.artifacts.set(row.id, known ? { ...known, stored: known.stored || row.stored } : made);
  }

  async findArtifact(id: string): Promise<ArtifactRow | undefined> {
    return this.artifacts.get(id);
  }

  async markArtifactStored(id: string): Promise<void> {
    const row = this.artifacts.get(id);
    if (!row) return;
    const { handle = '' } = row.sandbox ?? {};
    const untouched = row.untouched || (this.sandboxes.has(handle) && !this.hijacked.has(handle));
    this.artifacts.set(id, { ...row, stored: true, untouched });
  }

  async markArtifactLost(id: string): Promise<void> {
    const row = this.artifacts.get(id);
    if (row) this.artifacts.set(id, { ...row, stored: false, untouched: false });
  }

  async recordArtifactCopy(id: string, worker: string): Promise<void> {
    const row = this.artifacts.get(id);
    if (row) this.artifacts.set(id, { ...row, copies: [...new Set([...row.copies, worker])].sort() });
  }

  async findUploadedArtifact(
    number: number,
    build: { readonly id: number; readonly teamId: number },
  ): Promise<string | undefined> {
    const upload = this.uploads.get(number);
    if (upload?.teamId !== build.teamId) return undefined;
    this.#keep(upload.artifactId, build.id);
    return upload.artifactId;
  }

  async publishArtifact(buildId: number, name: string, artifactId: string): Promise<void> {
    const others = this.published.filter((each) => each.buildId !== buildId || each.name !== name);
    this.published.splice(0, Number.POSITIVE_INFINITY, ...others, { buildId, name, artifactId });
  }

  async findCache(cacheId: string, buildId: number): Promise<CacheRow | undefined> {
    const cache = this.caches.get(cacheId);
    if (!cache) return undefined;
    this.#use(cacheId, buildId, false);
    this.#keep(cache.artifactId, buildId);
    return cache;
  }

  async saveCache(row: CacheRow): Promise<void> {
    this.caches.set(row.cacheId, row);
  }

  async recordCacheUse(cacheId: string, buildId: number): Promise<void> {
    this.#use(cacheId, buildId, false);
  }

  async recordImageUse(artifactId: string, buildId: number): Promise<void> {
    for (const cache of this.caches.values())
      if (cache.artifactId === artifactId) this.#use(cache.cacheId, buildId, true);
  }

  async withLock<T>(
    kind: RecordsLock,
    of: string,
    signal: AbortSignal,
    onWait: () => Promise<void>,
    action: () => Promise<T>,
  ): Promise<T> {
    const id = `${kind} ${of}`;
    for (let round = 0; this.#locks.has(id); round++) {
      if (round === 0) await onWait();
      await withSignal(this.#locks.get(id) ?? Promise.resolve(), signal);
    }
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#locks.set(id, promise);
    try {
      return await action();
    } finally {
      this.#locks.delete(id);
      resolve();
    }
  }

  async withFreeLock<T>(kind: RecordsLock, of: string, action: () => Promise<T>): Promise<T | undefined> {
    if (this.#locks.has(`${kind} ${of}`)) return undefined;
    return this.withLock(kind, of, AbortSignal.any([]), async () => {}, action);
  }

  async findTaskCache(key: TaskCacheKey, buildId: number): Promise<string | undefined> {
    const artifactId = this.#taskCaches.get(JSON.stringify(key));
    if (artifactId !== undefined) this.#keep(artifactId, buildId);
    return artifactId;
  }

  async findTaskCacheWorkers(
    { jobId, stepName }: Pick<TaskCacheKey, 'jobId' | 'stepName'>,
    paths: readonly string[],
  ): Promise<string[]> {
    return [...this.#taskCaches.keys()]
      .map((key) => JSON.parse(key) as TaskCacheKey)
      .filter((key) => key.jobId === jobId && key.stepName === stepName && paths.includes(key.path))
      .map(({ worker }) => worker);
  }

  async saveTaskCache(key: TaskCacheKey, artifactId: string): Promise<void> {
    this.#taskCaches.set(JSON.stringify(key), artifactId);
  }

  /** Whether its process has ended and a step of the build may take its room. */
  #mayGo({ owner, state }: SandboxRow & { state: KnownSandbox['state'] }, buildId: number): boolean {
    if (!owner || state === 'destroying') return false;
    if (this.endedBuilds.has(owner.buildId)) return true;
    return owner.buildId === buildId && this.ends.has(stepKey(owner));
  }

  #loadOf(worker: string): WorkerLoad {
    const all = [...this.sandboxes.values()].filter((row) => row.worker === worker && row.state !== 'destroying');
    const owned = all.filter(({ owner }) => owner !== undefined);
    const active = owned.filter(
      ({ handle, labels, state, owner }) =>
        labels.type === 'task' &&
        state !== 'failed' &&
        !this.#endedSteps.has(handle) &&
        !(owner && (this.endedBuilds.has(owner.buildId) || this.ends.has(stepKey(owner)))),
    );
    const artifacts = [...this.artifacts.values()].filter(
      (row) => (row.stored && row.worker === worker) || row.copies.includes(worker),
    );
    return {
      tasks: active.length,
      sandboxes: all.length,
      buildSandboxes: owned.length,
      artifacts: artifacts.length,
    };
  }

  #use(cacheId: string, buildId: number, image: boolean): void {
    if (!this.caches.has(cacheId)) return;
    const known = this.cacheUses.find((use) => use.cacheId === cacheId && use.buildId === buildId);
    if (known) known.image ||= image;
    else this.cacheUses.push({ cacheId, buildId, image });
  }

  #keep(artifactId: string, buildId: number): void {
    if (!this.artifactUses.some((use) => use.artifactId === artifactId && use.buildId === buildId))
      this.artifactUses.push({ buildId, artifactId });
  }
}

function stepKey({ buildId, planId }: NonNullable<SandboxRow['owner']>): string {
  return `${buildId}/${planId}`;
}
