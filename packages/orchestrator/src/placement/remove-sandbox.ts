import type { StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import type { StepWorker } from './workers.ts';

const ASK_AGAIN_MS = 40_000;

/** Destroys a sandbox and waits until it has gone. Asks again meanwhile: a host gives up on a lost node only if asked later. */
export async function removeSandbox(
  { clock }: BuildContext,
  { signal }: StepIo,
  handle: string,
  { host, watch }: StepWorker,
): Promise<void> {
  for (let stays = true; stays; ) {
    await host.destroy(handle);
    const again = new AbortController();
    const either = AbortSignal.any([signal, again.signal]);
    clock.sleep(ASK_AGAIN_MS, either).then(
      () => again.abort(),
      () => {},
    );
    await watch.untilGone(handle, either).then(
      () => {
        stays = false;
      },
      () => signal.throwIfAborted(),
    );
    again.abort();
  }
}
