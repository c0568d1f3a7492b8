import type { ArtifactSource, BaggageclaimClient } from '@seaplane/baggageclaim';
import type { ArtifactRef } from '@seaplane/engine';
import { OrchestratorError } from './orchestrator-error.ts';
import type { ArtifactRow, Records } from './records.ts';
import type { Worker } from './workers.ts';

const KEEP_TIMEOUT_MS = 600_000;

/**
 * Directories that steps hand to one another. An artifact is in the sandbox that made it, in its worker's store, or in
 * both; readers take it from the sandbox while that lives, which is the fast way, and from the store after.
 */
export class Artifacts {
  readonly #records: Records;
  readonly #workers: () => readonly Worker[];
  /** Copies into a store that are under way, by artifact: asked for twice, made once. */
  readonly #keeping = new Map<string, Promise<void>>();

  readonly #onError: (error: unknown) => void;

  constructor(records: Records, workers: () => readonly Worker[], onError: (error: unknown) => void) {
    this.#records = records;
    this.#workers = workers;
    this.#onError = onError;
  }

  async record(worker: Worker, handle: string, path: string): Promise<ArtifactRef> {
    const id = `${handle}${path.replaceAll(/[^a-zA-Z0-9]+/g, '-')}`;
    await this.#records.recordArtifact({ id, worker: worker.host.name, sandbox: { handle, path }, stored: false });
    return { id };
  }

  /** Where another sandbox may pull it from, best first. */
  async sources(artifact: ArtifactRef): Promise<ArtifactSource> {
    const { row, worker } = await this.#find(artifact);
    const sources = [];
    if (row.sandbox && isAlive(worker, row.sandbox.handle)) {
      sources.push((await worker.host.connect(row.sandbox.handle)).sourceOf(row.sandbox.path));
    }
    if (row.stored) sources.push((await worker.host.store()).artifactSource(row.id));
    if (sources.length === 0) throw gone(artifact);
    return sources;
  }

  /** Whether it can still be read. */
  async isThere({ id }: ArtifactRef): Promise<boolean> {
    const row = await this.#records.findArtifact(id);
    const worker = this.#workers().find(({ host }) => host.name === row?.worker);
    return row !== undefined && worker !== undefined && (row.stored || isAlive(worker, row.sandbox?.handle ?? ''));
  }

  async readFile(artifact: ArtifactRef, path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { row, worker } = await this.#find(artifact);
    if (row.sandbox && isAlive(worker, row.sandbox.handle)) {
      const client = await worker.host.connect(row.sandbox.handle);
      return client.readFile(`${row.sandbox.path}/${path}`, signal);
    }
    if (!row.stored) throw gone(artifact);
    return (await worker.host.store()).readArtifactFile(row.id, path, signal);
  }

  /** A tar stream of all of it. */
  async read(artifact: ArtifactRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { row, worker } = await this.#find(artifact);
    if (row.stored) return (await worker.host.store()).readArtifact(row.id, signal);
    if (!row.sandbox || !isAlive(worker, row.sandbox.handle)) throw gone(artifact);
    return (await worker.host.connect(row.sandbox.handle)).readTree(row.sandbox.path, signal);
  }

  /** Takes in an artifact from outside, straight into a store. */
  async upload(worker: Worker, id: string, tar: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<ArtifactRef> {
    // Written down first: what a store has and nobody knows of is collected.
    await this.#records.recordArtifact({ id, worker: worker.host.name, stored: false });
    await (await worker.host.store()).putArtifact(id, tar, signal);
    await this.#records.artifactStored(id);
    return { id };
  }

  /** Returns the store that holds the artifact, copying it there first if need be. Its sandbox may go after that. */
  async keep(artifact: ArtifactRef, signal: AbortSignal): Promise<BaggageclaimClient> {
    const { row, worker } = await this.#find(artifact);
    const store = await worker.host.store();
    if (row.stored) return store;
    const running = this.#keeping.get(row.id) ?? this.#copy(row, worker, store, signal);
    this.#keeping.set(row.id, running);
    await running.finally(() => this.#keeping.delete(row.id));
    return store;
  }

  /** Keeps it in the background. What fails is tried again by whoever needs it, and by gc before the sandbox goes. */
  keepSoon(artifact: ArtifactRef): void {
    this.keep(artifact, AbortSignal.timeout(KEEP_TIMEOUT_MS)).catch(this.#onError);
  }

  async #copy(row: ArtifactRow, worker: Worker, store: BaggageclaimClient, signal: AbortSignal): Promise<void> {
    if (!row.sandbox || !isAlive(worker, row.sandbox.handle)) throw gone(row);
    const client = await worker.host.connect(row.sandbox.handle);
    await store.pullArtifact(row.id, [client.sourceOf(row.sandbox.path)], signal);
    await this.#records.artifactStored(row.id);
  }

  async #find({ id }: ArtifactRef): Promise<{ row: ArtifactRow; worker: Worker }> {
    const row = await this.#records.findArtifact(id);
    const worker = this.#workers().find(({ host }) => host.name === row?.worker);
    if (!row || !worker) throw gone({ id });
    return { row, worker };
  }
}

function isAlive(worker: Worker, handle: string): boolean {
  return worker.watch.states().get(handle)?.phase === 'ready';
}

function gone({ id }: { readonly id: string }): OrchestratorError {
  return new OrchestratorError(
    'artifact-gone',
    `the artifact ${id} has gone: its sandbox was lost before it was stored`,
  );
}
