import { posix } from 'node:path';
import { type ArtifactSource, type BaggageclaimClient, BaggageclaimError } from '@seaplane/baggageclaim';
import type { ArtifactRef } from '@seaplane/engine';
import { OrchestratorError } from '../orchestrator-error.ts';
import { shortHash } from '../placement/identity.ts';
import type { Worker } from '../placement/workers.ts';
import type { ArtifactRow, Records } from '../records.ts';
import { withSignal } from '../with-signal.ts';

const KEEP_TIMEOUT_MS = 600_000;

/**
 * Directories that steps hand to one another. An artifact is in the sandbox that made it, in its worker's store, or in
 * both; readers take it from the sandbox while that lives, which is the fast way, and from the store after.
 *
 * That it was stored is a fact of the past: a store may have lost it since. So nobody is told that an artifact is there
 * before the store was asked.
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
    const id = artifactId(handle, path);
    await this.#records.recordArtifact({ id, worker: worker.name, sandbox: { handle, path }, stored: false });
    return { id };
  }

  /** Where a sandbox of this worker may pull it from, best first. */
  async sources(artifact: ArtifactRef, reader: Worker, signal: AbortSignal): Promise<ArtifactSource> {
    const { row, worker } = await this.#find(artifact, signal);
    if (worker.name !== reader.name) throw elsewhere(row, reader);
    const sources = [];
    if (row.sandbox && isAlive(worker, row.sandbox.handle)) {
      sources.push((await worker.host.connect(row.sandbox.handle)).sourceOf(row.sandbox.path));
    }
    if (!row.stored && sources.length === 0) throw gone(row);
    if (!row.stored) return sources;
    try {
      const store = await withSignal(worker.host.store(), signal);
      if (sources.length === 0 && !(await store.hasArtifact(row.id, signal))) throw gone(row);
      sources.push(store.artifactSource(row.id));
    } catch (error) {
      signal.throwIfAborted();
      if (sources.length === 0) throw error;
      this.#onError(error); // the sandbox has it: nobody need wait for a store that is away
    }
    return sources;
  }

  /** Whether sandboxes of this worker can still have it. A store that can't be asked has nothing for anybody. */
  async isThere({ id }: ArtifactRef, reader: Worker, signal: AbortSignal): Promise<boolean> {
    const row = await this.#records.findArtifact(id);
    if (row?.worker !== reader.name) return false;
    await withSignal(reader.watch.synced, signal);
    if (row.sandbox && isAlive(reader, row.sandbox.handle)) return true;
    if (!row.stored) return false;
    try {
      return await (await withSignal(reader.host.store(), signal)).hasArtifact(id, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#onError(error);
      return false;
    }
  }

  /** Undefined when the artifact has no such file. */
  async readFile(artifact: ArtifactRef, path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { row, worker } = await this.#find(artifact, signal);
    if (row.sandbox && isAlive(worker, row.sandbox.handle)) {
      const client = await worker.host.connect(row.sandbox.handle);
      return client.readFile(`${row.sandbox.path}/${path}`, signal);
    }
    if (!row.stored) throw gone(row);
    const store = await withSignal(worker.host.store(), signal);
    const file = await store.readArtifactFile(row.id, path, signal);
    if (!file && !(await store.hasArtifact(row.id, signal))) throw gone(row);
    return file;
  }

  /** A tar stream of all of it. */
  async read(artifact: ArtifactRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { row, worker } = await this.#find(artifact, signal);
    if (row.sandbox && isAlive(worker, row.sandbox.handle)) {
      return (await worker.host.connect(row.sandbox.handle)).readTree(row.sandbox.path, signal);
    }
    if (!row.stored) throw gone(row);
    const store = await withSignal(worker.host.store(), signal);
    return store.readArtifact(row.id, signal).catch((error: unknown) => {
      throw error instanceof BaggageclaimError && error.code === 'not-found' ? gone(row) : error;
    });
  }

  /** Takes in an artifact from outside, straight into a store. */
  async upload(worker: Worker, id: string, tar: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<ArtifactRef> {
    // Written down first: what a store has and nobody knows of is collected.
    await this.#records.recordArtifact({ id, worker: worker.name, stored: false });
    await (await withSignal(worker.host.store(), signal)).putArtifact(id, tar, signal);
    await this.#records.markArtifactStored(id);
    return { id };
  }

  /**
   * Returns the store that holds the artifact, copying it there first if need be. Its sandbox may go after that. Of many
   * who ask for one copy, each may stop waiting; the copy goes on for the others.
   */
  async keep(artifact: ArtifactRef, signal: AbortSignal): Promise<BaggageclaimClient> {
    const { row, worker } = await this.#find(artifact, signal);
    const store = await withSignal(worker.host.store(), signal);
    if (row.stored && (await store.hasArtifact(row.id, signal))) return store;
    const copy =
      this.#keeping.get(row.id) ?? this.#copy(row, worker, store).finally(() => this.#keeping.delete(row.id));
    this.#keeping.set(row.id, copy);
    await withSignal(copy, signal);
    return store;
  }

  /** The same, for sandboxes of this worker to use. */
  async keepOn(artifact: ArtifactRef, reader: Worker, signal: AbortSignal): Promise<BaggageclaimClient> {
    const { row } = await this.#find(artifact, signal);
    if (row.worker !== reader.name) throw elsewhere(row, reader);
    return this.keep(artifact, signal);
  }

  /** Keeps it in the background. What fails is tried again by whoever needs it in the store. */
  keepSoon(artifact: ArtifactRef): void {
    this.keep(artifact, AbortSignal.timeout(KEEP_TIMEOUT_MS)).catch(this.#onError);
  }

  async #copy(row: ArtifactRow, worker: Worker, store: BaggageclaimClient): Promise<void> {
    if (!row.sandbox || !isAlive(worker, row.sandbox.handle)) throw gone(row);
    const client = await worker.host.connect(row.sandbox.handle);
    const from = [client.sourceOf(row.sandbox.path)];
    await store.pullArtifact(row.id, from, AbortSignal.timeout(KEEP_TIMEOUT_MS));
    await this.#records.markArtifactStored(row.id);
  }

  /** What is alive is known only after the first sync: until then nothing may be called gone. */
  async #find({ id }: ArtifactRef, signal: AbortSignal): Promise<{ row: ArtifactRow; worker: Worker }> {
    const row = await this.#records.findArtifact(id);
    if (!row) throw new OrchestratorError('artifact-gone', `the artifact ${id} has gone: it was collected`);
    const worker = this.#workers().find(({ name }) => name === row.worker);
    if (!worker) {
      const message = `the artifact ${id} is on the worker ${row.worker}, which is not one of this server's any more`;
      throw new OrchestratorError('artifact-gone', message);
    }
    await withSignal(worker.watch.synced, signal);
    return { row, worker };
  }
}

/** Readable, and no two paths of a sandbox have the same one. */
function artifactId(handle: string, path: string): string {
  const readable = posix
    .basename(path)
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .slice(0, 40);
  return `${handle}-${readable}-${shortHash(path)}`;
}

function isAlive(worker: Worker, handle: string): boolean {
  return worker.watch.states().get(handle)?.phase === 'ready';
}

function gone({ id, worker, stored }: ArtifactRow): OrchestratorError {
  const why = stored
    ? `the store of the worker ${worker} has lost it, as one without a volume does when its pod goes, and the sandbox that made it is there no more`
    : 'its sandbox was lost before it was stored';
  return new OrchestratorError('artifact-gone', `the artifact ${id} has gone: ${why}. Run the build again`);
}

function elsewhere({ id, worker }: ArtifactRow, reader: Worker): OrchestratorError {
  return new OrchestratorError(
    'artifact-elsewhere',
    `the artifact ${id} is on the worker ${worker}, and this step runs on ${reader.name}: artifacts do not travel ` +
      'from worker to worker yet. Give the steps tags that choose the same one',
  );
}
