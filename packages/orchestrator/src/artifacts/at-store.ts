import { type BaggageclaimClient, BaggageclaimError } from '@seaplane/baggageclaim';
import type { StepWorker } from '../placement/workers.ts';
import { withSignal } from '../with-signal.ts';

/** A client tries for half a minute to reach its store. */
const ATTEMPTS = 3;

/**
 * Does something with the store of a worker. A store that goes away meanwhile comes back at another address, so the host is
 * asked for it again. The action may happen more than once.
 */
export async function atStore<T>(
  { host }: StepWorker,
  signal: AbortSignal,
  action: (store: BaggageclaimClient) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const store = await withSignal(host.store(), signal);
    try {
      return await action(store);
    } catch (error) {
      signal.throwIfAborted();
      const away = error instanceof BaggageclaimError && error.code === 'unreachable';
      if (!away || attempt === ATTEMPTS) throw error;
    }
  }
}
