import { posix } from 'node:path';
import {
  type ArtifactSource,
  type BaggageclaimClient,
  BaggageclaimError,
  type ImageAnswer,
  SharedWork,
} from '@seaplane/baggageclaim';
import type { ArtifactRef, Clock } from '@seaplane/engine';
import { OrchestratorError } from '../orchestrator-error.ts';
import { shortHash } from '../placement/identity.ts';
import { isForTeam, type StepWorker } from '../placement/workers.ts';
import type { ArtifactRow, Records } from '../records.ts';
import { systemClock } from '../system-clock.ts';
import { withSignal } from '../with-signal.ts';
import type { ArtifactReader } from './artifact-reader.ts';
import { atStore } from './at-store.ts';
import { Crossing } from './crossing.ts';
import { heardSoon } from './heard-soon.ts';
import { inWords } from './store-words.ts';

const KEEP_TIMEOUT_MS = 600_000;
/** The watch reports a lost sandbox within this time, unless its host is away. */
const LOSS_REPORT_MS = 10_000;
/** A reader of an artifact that is not stored yet waits this long for a store that is just starting. */
const STORE_PATIENCE_MS = 500;

/**
 * Directories that steps hand to one another. An artifact is in the sandbox that made it, in its worker's store, or in
 * both. Steps of the same build take it from the sandbox while that lives, which is faster, and from the store afterwards.
 * Steps of other builds take it from the store only: members of the sandbox's team may enter the sandbox and change it.
 * Steps on another worker take a copy from the store of that worker.
 *
 * A row that says "stored" may be out of date: the store may have lost the artifact since. So the store is asked before an
 * artifact counts as there.
 */
export class Artifacts {
  readonly #records: Records;
  readonly #workers: () => readonly StepWorker[];
  /** Copies into a store that are under way, by artifact. Readers that need the same copy share it. */
  readonly #keeping = new SharedWork<void>();
  /** Copies that nobody waits for. */
  readonly #soon = new Set<Promise<void>>();
  readonly #crossing: Crossing;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;

  constructor(
    records: Records,
    workers: () => readonly StepWorker[],
    onError: (error: unknown) => void,
    clock: Clock = systemClock,
  ) {
    this.#records = records;
    this.#workers = workers;
    this.#onError = onError;
    this.#clock = clock;
    this.#crossing = new Crossing(records, clock);
  }

  async record(worker: StepWorker, handle: string, path: string): Promise<ArtifactRef> {
    const id = artifactId(handle, path);
    await this.#records.recordArtifact({ id, worker: worker.name, sandbox: { handle, path }, stored: false });
    return { id };
  }

  /** The sources from which the reader's sandbox can pull the artifact, the best one first. May bring it to the reader's worker. */
  async sources(artifact: ArtifactRef, reader: ArtifactReader): Promise<ArtifactSource> {
    const { signal, build } = reader;
    const row = await this.#row(artifact);
    if (row.worker !== reader.worker.name) return [(await this.#bring(row, reader)).artifactSource(row.id)];
    const worker = await this.#workerOf(row, signal);
    const sources = [];
    const live = liveSandbox(row, worker, build.id);
    if (live) sources.push((await worker.host.connect(live.handle)).sourceOf(live.path));
    if (sources.length === 0) return [await this.#storedSource(row, worker, signal)];
    // A sandbox that makes room goes only after its artifacts are stored. So the store is a source even if it lacks this one now.
    const patience = row.stored ? signal : AbortSignal.any([signal, AbortSignal.timeout(STORE_PATIENCE_MS)]);
    try {
      sources.push((await withSignal(worker.host.store(), patience)).artifactSource(row.id));
    } catch (error) {
      signal.throwIfAborted();
      if (row.stored) this.#onError(error); // the sandbox has the artifact, so the store may be away
    }
    return sources;
  }

  /** The store's source of an artifact that only the store has. */
  async #storedSource(row: ArtifactRow, worker: StepWorker, signal: AbortSignal): Promise<ArtifactSource[number]> {
    if (!row.stored) throw gone(row);
    return atStore(worker, signal, async (store) => {
      if (!(await store.hasArtifact(row.id, signal))) throw gone(row);
      return store.artifactSource(row.id);
    });
  }

  /** Whether the reader can still read the artifact. If the store can't be asked, it can't. */
  async isThere({ id }: ArtifactRef, { worker: reader, build, signal }: ArtifactReader): Promise<boolean> {
    const row = await this.#records.findArtifact(id);
    const worker = this.#workers().find(({ name }) => name === row?.worker);
    if (!row || !worker || (worker.name !== reader.name && mayBeAway(worker))) return false;
    if (worker.name === reader.name) await withSignal(worker.watch.synced, signal);
    else if (!(await heardSoon(this.#clock, worker, signal))) return false;
    if (liveSandbox(row, worker, build.id)) return true;
    if (!row.stored) return false;
    try {
      return await atStore(worker, signal, (store) => store.hasArtifact(id, signal));
    } catch (error) {
      signal.throwIfAborted();
      this.#onError(error);
      return false;
    }
  }

  /**
   * Whether the reader may use what a get of any build has fetched, and can still read it. Another build's must be in the
   * store, and must have been stored before anybody could change it. If it is not stored yet, waits for that. A get on a
   * worker of another team is never used.
   */
  async mayUseCache(artifact: ArtifactRef, reader: ArtifactReader): Promise<boolean> {
    const { build, signal } = reader;
    const row = await this.#records.findArtifact(artifact.id);
    const worker = this.#workers().find(({ name }) => name === row?.worker);
    if (!row || !worker || !isForTeam(worker, build.teamName)) return false;
    if (worker.name !== reader.worker.name && mayBeAway(worker)) return false;
    if (row.buildId !== build.id && !row.untouched) {
      try {
        await this.keep(artifact, build.teamId, signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#onError(error);
        return false;
      }
      if (!(await this.#records.findArtifact(artifact.id))?.untouched) return false;
    }
    return this.isThere(artifact, reader);
  }

  /** Throws if somebody may have changed the artifact before it was stored. */
  async requireUntouched({ id }: ArtifactRef): Promise<void> {
    if ((await this.#records.findArtifact(id))?.untouched) return;
    throw new OrchestratorError(
      'artifact-touched',
      `the image ${id} was not stored before somebody entered the sandbox that fetched it. The scripts of a resource ` +
        'do not run from it, since other builds use what they fetch. Run the build again',
    );
  }

  /**
   * Reads a file for a step of this build. Returns undefined if the artifact has no such file. A path that leads out of the
   * artifact names none. Throws `too-large` for a file of more than `maxBytes`.
   */
  async readFile(
    artifact: ArtifactRef,
    buildId: number,
    file: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const path = posix.normalize(`./${file}`);
    if (path === '..' || path.startsWith('../')) return undefined;
    const { row, worker } = await this.#find(artifact, signal);
    const live = liveSandbox(row, worker, buildId);
    if (live) {
      const read = async () => (await worker.host.connect(live.handle)).readFile(live.path, path, maxBytes, signal);
      const moved = (error: unknown) => this.#hasMoved(row, worker, live.handle, error, signal);
      const found = await read().catch(moved);
      if (found !== 'moved') return found;
    } else if (!row.stored) throw gone(row);
    return atStore(worker, signal, async (store) => {
      const bytes = await store.readArtifactFile(row.id, path, maxBytes, signal);
      if (!bytes && !(await store.hasArtifact(row.id, signal))) throw gone(row);
      return bytes;
    });
  }

  /** The whole artifact as a tar stream, for a user of its team. */
  async read(artifact: ArtifactRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { row, worker } = await this.#find(artifact, signal);
    if (row.sandbox && isAlive(worker, row.sandbox.handle)) {
      return (await worker.host.connect(row.sandbox.handle)).readTree(row.sandbox.path, signal);
    }
    if (!row.stored) throw gone(row);
    return atStore(worker, signal, (store) => store.readArtifact(row.id, signal)).catch((error: unknown) => {
      throw hasCode(error, 'not-found') ? gone(row) : error;
    });
  }

  /** Puts an artifact from outside into the worker's store, for a team. Throws as {@link keep} does. */
  async upload(
    worker: StepWorker,
    { id, teamId }: { readonly id: string; readonly teamId: number },
    tar: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ArtifactRef> {
    // Recorded first: a collector deletes artifacts of a store that have no record.
    await this.#records.recordArtifact({ id, worker: worker.name, stored: false });
    const store = await withSignal(worker.host.store(), signal);
    await inWords(worker, store.putArtifact(id, String(teamId), tar, signal));
    await this.#records.markArtifactStored(id);
    return { id };
  }

  /**
   * Copies the artifact into the store of its worker, unless it is there, and returns the store. Its sandbox may go after
   * that. The artifact counts for the team. A caller that stops waiting does not end the copy for the others; the last one does. Throws
   * `artifact-too-large` or `store-full` when the store's limits do not allow the copy.
   */
  async keep(artifact: ArtifactRef, teamId: number, signal: AbortSignal): Promise<BaggageclaimClient> {
    const { row, worker } = await this.#find(artifact, signal);
    return atStore(worker, signal, async (store) => {
      if (row.stored && (await store.hasArtifact(row.id, signal))) return store;
      await this.#keeping.run(row.id, signal, (inner) => this.#copy(row, worker, store, teamId, inner));
      return store;
    });
  }

  /** Makes an image of the artifact that sandboxes of the reader's worker can run from. */
  async makeImage(artifact: ArtifactRef, reader: ArtifactReader): Promise<ImageAnswer> {
    const { worker, build, signal } = reader;
    const row = await this.#row(artifact);
    const isHere = row.worker === worker.name;
    return atStore(worker, signal, async () => {
      const store = isHere ? await this.keep(artifact, build.teamId, signal) : await this.#bring(row, reader);
      return inWords(worker, store.makeImage(artifact.id, String(build.teamId), signal));
    });
  }

  /** The error of the first of these artifacts that has gone with its sandbox. Waits a while for the host's report of that. */
  async findLost(artifacts: readonly ArtifactRef[], signal: AbortSignal): Promise<OrchestratorError | undefined> {
    const losses = artifacts.map(async (artifact) => {
      const { row, worker } = await this.#find(artifact, signal);
      const loss = row.sandbox && !row.stored && (await reportedLoss(worker, row.sandbox.handle, signal));
      return loss ? gone(row, loss) : undefined;
    });
    return (await Promise.all(losses)).find(Boolean);
  }

  /** Keeps the artifact in the background. If that fails, the next step that needs it in the store tries again. */
  keepSoon(artifact: ArtifactRef, teamId: number): void {
    const kept = this.keep(artifact, teamId, AbortSignal.timeout(KEEP_TIMEOUT_MS)).then(() => {}, this.#onError);
    this.#soon.add(kept);
    void kept.then(() => this.#soon.delete(kept));
  }

  /** Waits for the copies that are made in the background now. */
  async settle(): Promise<void> {
    await Promise.all(this.#soon);
  }

  /**
   * To be called when a sandbox could not be read. Returns if the sandbox has made room meanwhile and the store has the
   * artifact. Throws that the artifact has gone if the sandbox was lost, and the error otherwise.
   */
  async #hasMoved(
    row: ArtifactRow,
    worker: StepWorker,
    handle: string,
    error: unknown,
    signal: AbortSignal,
  ): Promise<'moved'> {
    if (!hasCode(error, 'unreachable')) throw error;
    if ((await this.#records.findArtifact(row.id))?.stored) return 'moved';
    const loss = await reportedLoss(worker, handle, signal);
    throw loss ? gone(row, loss) : error;
  }

  async #copy(
    row: ArtifactRow,
    worker: StepWorker,
    store: BaggageclaimClient,
    teamId: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (!row.sandbox || !isAlive(worker, row.sandbox.handle)) throw gone(row);
    const client = await worker.host.connect(row.sandbox.handle);
    const from = [client.sourceOf(row.sandbox.path)];
    if (row.stored) await this.#records.markArtifactLost(row.id);
    const soon = AbortSignal.any([signal, AbortSignal.timeout(KEEP_TIMEOUT_MS)]);
    await inWords(worker, store.pullArtifact(row.id, String(teamId), from, soon)).catch(async (error: unknown) => {
      // So the store answers if it cannot reach the sandbox.
      const loss = hasCode(error, 'unavailable') && (await reportedLoss(worker, row.sandbox?.handle ?? '', soon));
      throw loss ? gone(row, loss) : error;
    });
    await this.#records.markArtifactStored(row.id);
  }

  /** Brings a copy to the reader's worker, which is not the artifact's, and returns the store there. */
  #bring(row: ArtifactRow, reader: ArtifactReader): Promise<BaggageclaimClient> {
    return this.#crossing.bring(row, reader, () => ({
      worker: this.#namedWorker(row),
      keep: (signal) => this.keep(row, reader.build.teamId, signal),
    }));
  }

  async #find(artifact: ArtifactRef, signal: AbortSignal): Promise<{ row: ArtifactRow; worker: StepWorker }> {
    const row = await this.#row(artifact);
    return { row, worker: await this.#workerOf(row, signal) };
  }

  async #row({ id }: ArtifactRef): Promise<ArtifactRow> {
    const row = await this.#records.findArtifact(id);
    if (!row) throw new OrchestratorError('artifact-gone', `the artifact ${id} has gone: it was collected`);
    return row;
  }

  /** Waits for the first sync: before it, nothing is known to have gone. */
  async #workerOf(row: ArtifactRow, signal: AbortSignal): Promise<StepWorker> {
    const worker = this.#namedWorker(row);
    await withSignal(worker.watch.synced, signal);
    return worker;
  }

  #namedWorker(row: ArtifactRow): StepWorker {
    const worker = this.#workers().find(({ name }) => name === row.worker);
    if (worker) return worker;
    const message = `the artifact ${row.id} is on the worker ${row.worker}, which this server does not have any more`;
    throw new OrchestratorError('artifact-gone', message);
  }
}

/** Readable, and different for each path of a sandbox. */
function artifactId(handle: string, path: string): string {
  const readable = posix
    .basename(path)
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .slice(0, 40);
  return `${handle}-${readable}-${shortHash(path)}`;
}

/** The sandbox from which steps of this build may read the artifact: that of the same build, while it lives. */
function liveSandbox({ sandbox, buildId }: ArtifactRow, worker: StepWorker, reader: number): ArtifactRow['sandbox'] {
  return sandbox && buildId === reader && isAlive(worker, sandbox.handle) ? sandbox : undefined;
}

function isAlive(worker: StepWorker, handle: string): boolean {
  return worker.watch.states().get(handle)?.phase === 'ready';
}

/** Why the sandbox was lost, in words. Undefined if the host does not report a loss in time. */
async function reportedLoss({ watch }: StepWorker, handle: string, signal: AbortSignal): Promise<string | undefined> {
  if (!watch.states().has(handle)) return 'it was deleted';
  const soon = AbortSignal.any([signal, AbortSignal.timeout(LOSS_REPORT_MS)]);
  return watch
    .untilLost(handle, soon, () => {})
    .then(
      ({ message }) => message,
      () => undefined,
    );
}

function hasCode(error: unknown, code: BaggageclaimError['code']): boolean {
  return error instanceof BaggageclaimError && error.code === code;
}

/** Its cluster does not answer, or its operator may be working on it. */
function mayBeAway({ state }: StepWorker): boolean {
  return state === 'stalled' || state === 'landed';
}

function gone({ id, worker, stored }: ArtifactRow, loss?: string): OrchestratorError {
  const why = stored
    ? `the store of the worker ${worker} has lost it, and the sandbox that made it does not exist any more. A store without a volume loses everything with its pod`
    : `its sandbox was lost before it was stored${loss ? `: ${loss}` : ''}`;
  return new OrchestratorError('artifact-gone', `the artifact ${id} has gone: ${why}. Run the build again`);
}
