import { join } from 'node:path';
import { createClientFactory } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';
import type { OpenHost, WorkerConfig } from '@seaplane/orchestrator';
import type { WebConfig } from './config.ts';
import { loadWorkers, localWorker } from './load-workers.ts';
import { loadSigner } from './signing-key.ts';
import type { ReportTrouble } from './trouble-log.ts';

/** A worker and its open host. The caller of `openWorkers` disposes of the host. */
export interface OpenWorker {
  readonly config: WorkerConfig;
  readonly host: OpenHost;
}

/** Opens the hosts of the workers that the targets file lists, and of this machine, for the installation with this id. */
export async function openWorkers(
  { targetsFile, localWorker: isLocal, dataDir }: Pick<WebConfig, 'targetsFile' | 'localWorker' | 'dataDir'>,
  installation: string,
  clock: Clock,
  reportTrouble: ReportTrouble,
): Promise<OpenWorker[]> {
  const configured = [...(isLocal ? [localWorker(join(dataDir, 'local'))] : []), ...(await loadWorkers(targetsFile))];
  const { publicKey, sign, authorityOf } = await loadSigner(join(dataDir, 'signing-key'));
  const named = configured.map(async (worker) => ({ ...worker, authority: await authorityOf(worker.config.name) }));
  // Opened together and last: a host that is open must be closed by the caller.
  return (await Promise.all(named)).map(({ config, openHost, authority }) => ({
    config,
    host: openHost({
      installation,
      publicKey,
      authorityKey: authority.key,
      client: createClientFactory(sign, authority),
      clock,
      onTrouble: (error) => reportTrouble(`worker ${config.name} has trouble`, error),
    }),
  }));
}
