import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createClientFactory, openRelay } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';
import type { ConfiguredWorker, DialTaker, OpenHost, WorkerConfig } from '@seaplane/orchestrator';
import { clusterWorker } from './cluster-worker.ts';
import type { WebConfig } from './config.ts';
import { type FileWorker, loadWorkers, localWorker } from './load-workers.ts';
import { loadSigner } from './signing-key.ts';
import type { ReportTrouble } from './trouble-log.ts';
import { WebError } from './web-error.ts';

/** A worker and its open host. Whoever opened it disposes of the host. */
export interface OpenWorker {
  readonly config: WorkerConfig;
  readonly host: OpenHost;
  /** A digest of its configuration. */
  readonly entry: string;
  /** The targets file lists it. Otherwise it is there for as long as web runs. */
  readonly fromFile?: true;
  /** Takes connections of the worker's machine, where that dials web. */
  readonly dials?: DialTaker;
}

type WorkerSettings = Pick<WebConfig, 'targetsFile' | 'cluster' | 'localWorker' | 'dataDir'>;

/** Opens the hosts of all workers, for the installation with this id. */
export async function openWorkers(
  config: WorkerSettings,
  installation: string,
  clock: Clock,
  reportTrouble: ReportTrouble,
): Promise<OpenWorker[]> {
  const [fixed, listed] = [await fixedWorkers(config), await loadWorkers(config.targetsFile)];
  const names = [...fixed, ...listed].map(({ config }) => config.name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    const message = `Two workers are called ${twice}. Give the one in ${config.targetsFile} another name.`;
    throw new WebError('bad-targets', message);
  }
  const open = await workerOpener(config, installation, clock, reportTrouble);
  // Opened together and last: a host that is open must be closed by the caller.
  return Promise.all([
    // There is no entry to change, so each start of web counts as a change.
    ...fixed.map((worker) => open({ ...worker, entry: randomUUID() })),
    ...listed.map(async (worker) => ({ ...(await open(worker)), fromFile: true as const })),
  ]);
}

/** Returns a function that opens the host of a worker. */
export async function workerOpener(
  { dataDir }: Pick<WebConfig, 'dataDir'>,
  installation: string,
  clock: Clock,
  reportTrouble: ReportTrouble,
): Promise<(worker: FileWorker) => Promise<OpenWorker>> {
  const { publicKey, sign, authorityOf } = await loadSigner(join(dataDir, 'signing-key'));
  return async ({ config, entry, openHost }) => {
    const authority = await authorityOf(config.name);
    let dials: DialTaker | undefined;
    const host = openHost({
      installation,
      publicKey,
      authorityKey: authority.key,
      client: createClientFactory(sign, authority),
      relay: (store, connection, signal) => openRelay({ store, sign, clock }, connection, signal),
      clock,
      onTrouble: (error) => reportTrouble(`worker ${config.name} has trouble`, error),
      onDial: (taker) => {
        dials = taker;
      },
    });
    return { config, host, entry, ...(dials ? { dials } : {}) };
  };
}

/** This machine, and the cluster that a flag names. */
async function fixedWorkers({ cluster, localWorker: isLocal, dataDir }: WorkerSettings): Promise<ConfiguredWorker[]> {
  return [
    ...(isLocal ? [localWorker(join(dataDir, 'local'))] : []),
    ...(cluster ? [await clusterWorker(cluster)] : []),
  ];
}
