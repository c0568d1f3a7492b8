import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { ArtifactSource } from '../../protocol/messages.ts';
import { type Pull, pullFirst } from '../trees/pull.ts';
import type { ArtifactStore } from './artifact-store.ts';

/**
 * Brings artifacts into a store, each once: a request for one that is already on its way waits for that, and gets the
 * same answer. A client that leaves does not end an arrival, since another may wait for it.
 */
export class ArtifactReceiver {
  readonly #store: ArtifactStore;
  readonly #pull: Pull;
  readonly #arriving = new Map<string, Promise<void>>();

  constructor(store: ArtifactStore, pull: Pull) {
    this.#store = store;
    this.#pull = pull;
  }

  /** Stores what a client sends. */
  receive(id: string, tar: ReadableStream<Uint8Array>): Promise<void> {
    return this.#once(id, () => this.#store.put(id, tar));
  }

  /** Stores what the first of these sources gives. Throws `unavailable`, with what each of them answered. */
  pull(id: string, from: ArtifactSource): Promise<void> {
    const { signal } = new AbortController();
    return this.#once(id, () =>
      pullFirst(this.#pull, from, (tar) => this.#store.put(id, tar), signal).catch((cause: Error) => {
        const message = `the artifact ${id} could not be pulled: ${cause.message}`;
        throw new BaggageclaimError('unavailable', message, { cause });
      }),
    );
  }

  #once(id: string, bring: () => Promise<void>): Promise<void> {
    const arriving = this.#arriving.get(id) ?? this.#bring(id, bring).finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return arriving;
  }

  async #bring(id: string, bring: () => Promise<void>): Promise<void> {
    if (!(await this.#store.has(id))) await bring();
  }
}
