import { LOCAL_WORKER } from './load-workers.ts';
import type { OpenWorker } from './open-workers.ts';
import { WebError } from './web-error.ts';

const PATIENCE_MS = 30_000;

/** Throws, and closes all hosts, if steps cannot run on this machine although they should. */
export async function requireLocalWorker(workers: readonly OpenWorker[], stop: AbortSignal): Promise<void> {
  const local = workers.find(({ config }) => config.name === LOCAL_WORKER);
  if (!local) return;
  const { usable, problems } = await local.host.check(AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]));
  if (usable) return;
  for (const { host } of workers) host[Symbol.dispose]();
  stop.throwIfAborted();
  throw new WebError(
    'no-local-worker',
    `Steps cannot run on this machine: ${problems.join('; ')}. (With --local-worker false, web starts without it.)`,
  );
}
