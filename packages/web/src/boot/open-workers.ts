import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createClientFactory } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';
import type { ConfiguredWorker, OpenHost, WorkerConfig } from '@seaplane/orchestrator';
import { clusterWorker } from './cluster-worker.ts';
import type { WebConfig } from './config.ts';
import { loadWorkers, localWorker } from './load-workers.ts';
import { loadSigner } from './signing-key.ts';
import type { ReportTrouble } from './trouble-log.ts';
import { WebError } from './web-error.ts';

/** Takes a connection in the name of a worker. Whoever opened it has proven nothing yet. */
export type AnswerDial = (connection: Duplex) => void;

/** A worker and its open host. The caller of `openWorkers` disposes of the host. */
export interface OpenWorker {
  readonly config: WorkerConfig;
  readonly host: OpenHost;
  /** Takes connections of the worker's machine, where that dials web. */
  readonly answerDial?: AnswerDial;
}

/** Opens the hosts of all workers, for the installation with this id. */
export async function openWorkers(
  config: Pick<WebConfig, 'targetsFile' | 'cluster' | 'localWorker' | 'dataDir'>,
  installation: string,
  clock: Clock,
  reportTrouble: ReportTrouble,
): Promise<OpenWorker[]> {
  const { dataDir } = config;
  const configured = await configuredWorkers(config);
  const { publicKey, sign, authorityOf } = await loadSigner(join(dataDir, 'signing-key'));
  const named = configured.map(async (worker) => ({ ...worker, authority: await authorityOf(worker.config.name) }));
  // Opened together and last: a host that is open must be closed by the caller.
  return (await Promise.all(named)).map(({ config, openHost, authority }) => {
    let answerDial: AnswerDial | undefined;
    const host = openHost({
      installation,
      publicKey,
      authorityKey: authority.key,
      client: createClientFactory(sign, authority),
      clock,
      onTrouble: (error) => reportTrouble(`worker ${config.name} has trouble`, error),
      onDial: (answer) => {
        answerDial = answer;
      },
    });
    return { config, host, ...(answerDial ? { answerDial } : {}) };
  });
}

/** By the name of the worker. */
export function dialAnswers(workers: readonly OpenWorker[]): ReadonlyMap<string, AnswerDial> {
  return new Map(workers.flatMap(({ config, answerDial }) => (answerDial ? [[config.name, answerDial] as const] : [])));
}

/** This machine, the cluster that a flag names, and the workers that the targets file lists. */
async function configuredWorkers({
  targetsFile,
  cluster,
  localWorker: isLocal,
  dataDir,
}: Pick<WebConfig, 'targetsFile' | 'cluster' | 'localWorker' | 'dataDir'>): Promise<ConfiguredWorker[]> {
  const workers = [
    ...(isLocal ? [localWorker(join(dataDir, 'local'))] : []),
    ...(cluster ? [await clusterWorker(cluster)] : []),
    ...(await loadWorkers(targetsFile)),
  ];
  const names = workers.map(({ config }) => config.name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return workers;
  throw new WebError('bad-targets', `Two workers are called ${twice}. Give the one in ${targetsFile} another name.`);
}
