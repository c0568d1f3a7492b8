import { join } from 'node:path';
import { createClientFactory } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';
import type { OpenHost, WorkerConfig } from '@seaplane/orchestrator';
import type { WebConfig } from './config.ts';
import { loadWorkers } from './load-workers.ts';
import { loadSigner } from './signing-key.ts';
import type { ReportTrouble } from './trouble-log.ts';

/** A worker and its open host. The caller of `openWorkers` disposes of the host. */
export interface OpenWorker {
  readonly config: WorkerConfig;
  readonly host: OpenHost;
}

/** Opens the hosts of the workers that the targets file lists, for the installation with this id. */
export async function openWorkers(
  { targetsFile, dataDir }: Pick<WebConfig, 'targetsFile' | 'dataDir'>,
  installation: string,
  clock: Clock,
  reportTrouble: ReportTrouble,
): Promise<OpenWorker[]> {
  const configured = await loadWorkers(targetsFile);
  const { publicKey, sign } = await loadSigner(join(dataDir, 'signing-key'));
  const client = createClientFactory(sign);
  return configured.map(({ config, openHost }) => ({
    config,
    host: openHost({
      installation,
      publicKey,
      client,
      clock,
      onTrouble: (error) => reportTrouble(`worker ${config.name} has trouble`, error),
    }),
  }));
}
