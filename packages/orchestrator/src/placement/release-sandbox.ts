import type { BuildContext } from '../build-context.ts';
import type { Placement } from './placement.ts';

const RELEASE_TIMEOUT_MS = 60_000;

/**
 * Gives back what the sandbox of an ended process reserves. Nobody waits for it: if it fails, or if this web is killed, the
 * collector does it.
 */
export function releaseSandbox(
  { onError }: BuildContext,
  { worker, handle }: Pick<Placement, 'worker' | 'handle'>,
): void {
  worker.host.release(handle, AbortSignal.timeout(RELEASE_TIMEOUT_MS)).catch(onError);
}
