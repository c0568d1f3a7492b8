import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Health } from '../../protocol/messages.ts';

/** How the network of this pod is tried. */
export interface NetworkProbe {
  /** Asks a store for its health, at this address or at the one that outlives its pod. Throws if the store does not answer. */
  health(url?: string): Promise<Health>;
  /** Whether a connection to this address can be made, within a time that lost packets do not use up. */
  isReached(url: string): Promise<boolean>;
  /** Milliseconds of a clock that only goes forward. */
  elapsedMs(): number;
  sleep(ms: number): Promise<void>;
}

/** A policy takes hold within a second of its pod's start, and seconds later in a large cluster. */
const LIMIT_MS = 30_000;
const PAUSE_MS = 50;

/**
 * The network of a hermetic step's pod, which a network policy closes: a moment late, or not at all if the cluster's network
 * plugin ignores policies. So a connection that the policy forbids is tried until it fails: to the store's port for images,
 * which every pod reaches that has no policy. A store that is down proves nothing. Therefore the same pod of the store must
 * answer at its other port, which the policy permits, after the connection has failed.
 *
 * A proof holds for good. If there was none in time, the next call tries again.
 */
export class ClosedNetwork {
  readonly #probe: NetworkProbe;
  #proof: Promise<void> | undefined;

  constructor(probe: NetworkProbe) {
    this.#probe = probe;
  }

  /** Resolves when the network is proven closed. Throws `unavailable`, in words for the step's author, if it is not within the limit. */
  proven(): Promise<void> {
    if (this.#proof) return this.#proof;
    const proof = this.#prove();
    this.#proof = proof;
    proof.catch(() => {
      this.#proof = undefined;
    });
    return proof;
  }

  async #prove(): Promise<void> {
    const { elapsedMs, sleep } = this.#probe;
    const end = elapsedMs() + LIMIT_MS;
    for (;;) {
      const problem = await this.#try();
      if (problem === undefined) return;
      if (elapsedMs() >= end) throw new BaggageclaimError('unavailable', problem);
      await sleep(PAUSE_MS);
    }
  }

  /** Returns undefined if the network is closed. */
  async #try(): Promise<string | undefined> {
    const { health, isReached } = this.#probe;
    try {
      const { witness } = await health();
      if (!witness) return unproven('the store is of an older version');
      if (await isReached(witness.open)) return stillOpen(witness.open);
      const { witness: after } = await health(witness.url);
      return after?.open === witness.open ? undefined : unproven('the store has moved');
    } catch (error) {
      return unproven(`the store does not answer (${(error as Error).message})`);
    }
  }
}

const START = 'this step is hermetic, and was not started:';

function stillOpen(address: string): string {
  return (
    `${START} after ${LIMIT_MS / 1000} seconds its pod can still connect to ${address}, so the cluster's network plugin ` +
    "does not enforce network policies. Run the step on a cluster that does, or without 'hermetic: true'"
  );
}

function unproven(why: string): string {
  return `${START} nothing proves that its network is closed, because ${why}`;
}
