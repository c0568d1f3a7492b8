import type { HostHealth } from '@seaplane/orchestrator';
import { LOCAL_WORKER } from './load-workers.ts';
import type { OpenWorker } from './open-workers.ts';
import { WebError } from './web-error.ts';

/** A machine that is busy with other things takes its time. */
const PATIENCE_MS = 180_000;
const HINT = ' (With --local-worker false, web starts without it.)';

/** Throws, and closes all hosts, if steps cannot run on this machine although they should. */
export async function requireLocalWorker(
  workers: readonly OpenWorker[],
  stop: AbortSignal,
  hint = HINT,
): Promise<void> {
  const local = workers.find(({ config }) => config.name === LOCAL_WORKER);
  if (!local) return;
  try {
    const { usable, problems } = await checkSoon(local.host, stop);
    if (usable) return;
    stop.throwIfAborted();
    throw new WebError('no-local-worker', `Steps cannot run on this machine: ${problems.join('; ')}.${hint}`);
  } catch (error) {
    for (const { host } of workers) host[Symbol.dispose]();
    throw error;
  }
}

async function checkSoon(host: OpenWorker['host'], stop: AbortSignal): Promise<HostHealth> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await host.check(AbortSignal.any([stop, late]));
  } catch (error) {
    if (!late.aborted || stop.aborted) throw error;
    return { usable: false, problems: [`it did not make a sandbox within ${PATIENCE_MS / 60_000} minutes`] };
  }
}
