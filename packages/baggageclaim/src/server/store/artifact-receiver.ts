import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { ArtifactSource, StoreLimits } from '../../protocol/messages.ts';
import { SharedWork } from '../../protocol/shared-work.ts';
import { counted } from '../trees/counted.ts';
import type { TreeSize } from '../trees/measure-tree.ts';
import { isOfSize, type Pull, pullFirst } from '../trees/pull.ts';
import type { Accounts, SetBytes } from './accounts.ts';
import type { ArtifactStore } from './artifact-store.ts';

/** A request to keep an artifact. */
export interface Arrival {
  readonly id: string;
  readonly limits: StoreLimits;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
}

export interface ReceiverParts {
  readonly store: ArtifactStore;
  readonly accounts: Accounts;
  readonly pull: Pull;
}

/** A file of holes costs no room here, but whoever reads it reads them all. */
const MOST_HOLES = 10;

/**
 * Brings artifacts into a store, each once: a request for one that is already on its way waits for that, and gets the
 * same answer. An arrival that no client waits for any more ends.
 */
export class ArtifactReceiver {
  readonly #parts: ReceiverParts;
  readonly #arriving = new SharedWork<void>();

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /** Stores what a client sends. Throws `too-large` or `full` when the limits do not allow that. */
  receive(arrival: Arrival, tar: ReadableStream<Uint8Array>): Promise<void> {
    return this.#once(arrival, () => this.#keep(arrival, tar));
  }

  /** Does the same with what the first of these sources gives. Throws `unavailable`, with what each of them answered. */
  pull(arrival: Arrival, from: ArtifactSource): Promise<void> {
    return this.#once(arrival, (signal) =>
      pullFirst(this.#parts.pull, from, (tar) => this.#keep(arrival, tar), signal).catch((cause: Error) => {
        if (isOfSize(cause)) throw cause;
        const message = `the artifact ${arrival.id} could not be pulled: ${cause.message}`;
        throw new BaggageclaimError('unavailable', message, { cause });
      }),
    );
  }

  #once({ id, signal }: Arrival, bring: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.#arriving.run(id, signal, async (inner) => {
      if (!(await this.#parts.store.has(id))) await bring(inner);
    });
  }

  /** While bytes arrive, those of the archive count; when all are there, those that the tree has on the disk. */
  #keep({ id, limits }: Arrival, tar: ReadableStream<Uint8Array>): Promise<void> {
    const { store, accounts } = this.#parts;
    return accounts.charge(id, limits, (set) =>
      store.put(id, counted(tar, set), (size) => accept(id, size, limits, set)),
    );
  }
}

function accept(id: string, { diskBytes, apparentBytes }: TreeSize, { artifactBytes }: StoreLimits, set: SetBytes) {
  set(diskBytes);
  if (apparentBytes <= artifactBytes * MOST_HOLES) return;
  const message = `${id} has files with ${apparentBytes} bytes, most of them holes: more than ${MOST_HOLES} times what an artifact may have`;
  throw new BaggageclaimError('too-large', message);
}
