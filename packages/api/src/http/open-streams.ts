import { ApiError } from '../api-error.ts';

export interface StreamLimits {
  /** How many streams one client may have open. */
  readonly perClient: number;
  /** How many streams this web has open for all clients. */
  readonly inAll: number;
}

const RETRY_SECONDS = 10;

/**
 * Counts streams that stay open for as long as their client wants. Without a limit, one client could take all the memory
 * and sockets of web.
 *
 * fly gives up and prints the status when it gets 429, which is right for a client with too many streams. It tries
 * again after a while when it gets 503, which is right when others have them.
 */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #ofClient = new Map<string, number>();
  #all = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Counts one more. Returns the function that ends it, which may be called again. Throws the refusal at a limit. */
  open(client: string): () => void {
    const open = this.#ofClient.get(client) ?? 0;
    const { perClient, inAll } = this.#limits;
    if (open >= perClient) {
      const message = `You have ${open} streams of events open, and may have ${perClient}. Close some first.`;
      throw new ApiError('too-many-requests', message, { retryAfterSeconds: RETRY_SECONDS });
    }
    if (this.#all >= inAll) {
      const message = `This server has ${inAll} streams of events open, as many as it may. Try again soon.`;
      throw new ApiError('unavailable', message, { retryAfterSeconds: RETRY_SECONDS });
    }
    this.#count(client, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#count(client, -1);
      isOpen = false;
    };
  }

  #count(client: string, change: 1 | -1): void {
    this.#all += change;
    const open = (this.#ofClient.get(client) ?? 0) + change;
    if (open > 0) this.#ofClient.set(client, open);
    else this.#ofClient.delete(client);
  }
}
