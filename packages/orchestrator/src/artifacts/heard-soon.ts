import type { Clock } from '@seaplane/engine';
import type { StepWorker } from '../placement/workers.ts';
import { withSignal } from '../with-signal.ts';

const PATIENCE_MS = 30_000;

/** Waits until it is known which sandboxes the worker has. Returns false if that takes long: the worker is away. */
export async function heardSoon(clock: Clock, { watch }: StepWorker, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const heard = watch.synced.then(() => true); // first: it wins if both are ready
  const late = clock.sleep(PATIENCE_MS, AbortSignal.any([signal, over.signal])).then(() => false);
  late.catch(() => {}); // over, or the signal, which ends the wait itself
  try {
    return await withSignal(Promise.race([heard, late]), signal);
  } finally {
    over.abort();
  }
}
