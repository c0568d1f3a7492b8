import { type BaggageclaimClient, BaggageclaimError, SharedWork } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';
import { OrchestratorError } from '../orchestrator-error.ts';
import type { StepWorker } from '../placement/workers.ts';
import type { ArtifactRow, Records } from '../records.ts';
import { withSignal } from '../with-signal.ts';
import type { ArtifactReader } from './artifact-reader.ts';
import { heardSoon } from './heard-soon.ts';
import { passOn } from './moving-stream.ts';
import { inWords } from './store-words.ts';

const ATTEMPTS = 4;
const PAUSE_MS = 1_000;

/** The artifact's own worker. */
export interface Origin {
  readonly worker: StepWorker;
  /** Returns its store, which has the artifact then. May take as long as a copy of the artifact. */
  keep(signal: AbortSignal): Promise<BaggageclaimClient>;
}

/**
 * Brings artifacts from the store of their worker into that of another, through this web: workers need not reach each
 * other. The copy has the artifact's id, and is whole or not there. A stream that is cut begins anew.
 */
export class Crossing {
  readonly #records: Pick<Records, 'recordArtifactCopy'>;
  readonly #clock: Clock;
  /** Streams that are under way, by worker and artifact. Steps that need the same one share it. */
  readonly #underWay = new SharedWork<void>();

  constructor(records: Pick<Records, 'recordArtifactCopy'>, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** Returns the store of the reader's worker, which has a copy then. */
  async bring(row: ArtifactRow, reader: ArtifactReader, origin: () => Origin): Promise<BaggageclaimClient> {
    const { worker, signal, notice } = reader;
    const store = await withSignal(worker.host.store(), signal);
    if (row.copies.includes(worker.name) && (await store.hasArtifact(row.id, signal))) return store;
    let first = false;
    const arrival = this.#underWay.run(`${worker.name} ${row.id}`, signal, (inner) => {
      first = true;
      return this.#stream(row.id, reader, store, origin, inner);
    });
    arrival.catch(() => {}); // it may fail before it is awaited
    const shown = { artifact: row.id, to: worker.name };
    await notice(first ? { kind: 'streaming', ...shown, from: row.worker } : { kind: 'waiting-for-stream', ...shown });
    await arrival;
    return store;
  }

  async #stream(
    id: string,
    { worker, build }: ArtifactReader,
    store: BaggageclaimClient,
    origin: () => Origin,
    signal: AbortSignal,
  ): Promise<void> {
    // Recorded first: a collector deletes artifacts of a store that have no record.
    await this.#records.recordArtifactCopy(id, worker.name);
    const from = origin();
    const put = (tar: ReadableStream<Uint8Array>, inner: AbortSignal) =>
      inWords(worker, store.putArtifact(id, String(build.teamId), tar, inner));
    for (let attempt = 1; ; attempt++) {
      try {
        const source = await this.#sourceAt(from, signal);
        return await passOn(this.#clock, signal, (inner) => source.readArtifact(id, inner), put);
      } catch (error) {
        signal.throwIfAborted();
        if (!isCut(error)) throw error;
        if (attempt === ATTEMPTS) {
          const message = `the artifact ${id} could not be brought from the worker ${from.worker.name} to the worker ${worker.name}: ${error.message}`;
          throw new OrchestratorError('artifact-not-streamed', message, { cause: error });
        }
      }
      await this.#clock.sleep(attempt * PAUSE_MS, signal);
    }
  }

  async #sourceAt({ worker, keep }: Origin, signal: AbortSignal): Promise<BaggageclaimClient> {
    if (await heardSoon(this.#clock, worker, signal)) return keep(signal);
    throw new BaggageclaimError('unreachable', `the worker ${worker.name} does not answer`);
  }
}

/** One of the stores went away for a moment, or lost the artifact after it was asked for it. */
function isCut(error: unknown): error is BaggageclaimError {
  return error instanceof BaggageclaimError && ['unreachable', 'unavailable', 'not-found'].includes(error.code);
}
