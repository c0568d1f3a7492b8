import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BaggageclaimClient, createSigner, generateKeys } from '@seaplane/baggageclaim';
import { layoutOf, targetKubeconfig, up } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { openTestHost, parseTarget } from '@seaplane/kubernetes/testing';
import { barePod } from './bare-pod.ts';
import { type BenchOptions, NAMESPACE } from './bench-step-start.ts';
import { median } from './median.ts';
import { table } from './table.ts';
import { timed } from './timed.ts';

const FILES = 64;
const MEGABYTES = 256;
const TEAM = '1';
const PORT = 9000;
/** Files of a pod that are on the node's disk, as those of a store are. */
const DATA = '/data';

/** An artifact goes from the store of one cluster to that of another, and the same files by `tar | tar` from pod to pod. */
export async function benchCrossing({ index, kubectl, rounds, progress, ...stop }: BenchOptions): Promise<string> {
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout((rounds + 2) * 120_000)]);
  const other = (index + 1) % 10;
  await up(other, progress);
  const signer = createSigner(generateKeys().privateKey);
  const openHost = async (cluster: number) => {
    const kubeconfig = await targetKubeconfig(cluster, NAMESPACE, kubectl, progress);
    const images = { baggageclaim: imageRef('baggageclaim') };
    const template = { dnsPolicy: 'Default' };
    const target = parseTarget({ name: 'bench', namespace: NAMESPACE, kubeconfig, images, template });
    return openTestHost(target, { signer });
  };
  using east = await openHost(index);
  using west = await openHost(other);
  await using tree = await mkdtempDisposable(join(tmpdir(), 'bench-crossing-'));
  const bytes = randomBytes((MEGABYTES / FILES) * 1024 * 1024);
  for (let i = 0; i < FILES; i++) await writeFile(join(tree.path, `file-${i}`), bytes);

  const stores = { from: await east.store(), to: await west.store() };
  await stores.from.putArtifact('bench', TEAM, archiveOf(tree.path), signal);
  const pods = {
    from: await DataPod.start(kubectl, layoutOf(index).kubeconfig),
    to: await DataPod.start(kubectl, layoutOf(other).kubeconfig),
  };
  await pods.from.fill(tree.path);
  const series = { crossing: [] as number[], tar: [] as number[] };
  try {
    for (let round = 0; round <= rounds; round++) {
      const crossing = await timed(() => cross(stores.from, stores.to, `bench-${round}`, signal));
      const tar = await timed(() => pods.from.sendTo(pods.to));
      if (round > 0) {
        series.crossing.push(crossing); // the first round warms up
        series.tar.push(tar);
      }
      progress(
        `${round === 0 ? 'warm' : `round ${round} of ${rounds}`}: ${crossing.toFixed(0)} and ${tar.toFixed(0)} ms`,
      );
    }
  } finally {
    await run(kubectl, [
      ...['--kubeconfig', layoutOf(other).kubeconfig],
      ...['delete', 'namespace', NAMESPACE, '--ignore-not-found'],
    ]);
  }
  return report(series.crossing, series.tar);
}

/** As web does it. The name differs each time, because a store takes an artifact once. */
async function cross(from: BaggageclaimClient, to: BaggageclaimClient, id: string, signal: AbortSignal): Promise<void> {
  await to.putArtifact(id, TEAM, await from.readArtifact('bench', signal), signal);
  await to.deleteArtifact(id, signal);
}

function archiveOf(directory: string): ReadableStream<Uint8Array> {
  const { stdout } = spawn('tar', ['-C', directory, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
}

/** A pod with tar and nc, and nothing of ours. */
class DataPod {
  readonly #exec: readonly [string, ...string[]];
  readonly #address: string;

  private constructor(exec: readonly [string, ...string[]], address: string) {
    this.#exec = exec;
    this.#address = address;
  }

  static async start(kubectl: string, kubeconfig: string): Promise<DataPod> {
    const base = ['--kubeconfig', kubeconfig, '-n', NAMESPACE];
    const pod = barePod('data', imageRef('busybox'), false);
    const volume = { name: 'data', emptyDir: {} };
    const containers = pod.spec?.containers.map((container) => ({
      ...container,
      volumeMounts: [{ name: 'data', mountPath: DATA }],
    }));
    const withData = { ...pod, spec: { ...pod.spec, volumes: [volume], containers } };
    await run(kubectl, [...base, 'apply', '-f', '-'], { input: JSON.stringify(withData) });
    await run(kubectl, [...base, 'wait', '--for=condition=Ready', 'pod/data', '--timeout=60s']);
    const { stdout } = await run(kubectl, [...base, 'get', 'pod', 'data', '-o', 'jsonpath={.status.podIP}']);
    return new DataPod([kubectl, ...base, 'exec', '-i', 'data', '--'], stdout);
  }

  async fill(directory: string): Promise<void> {
    await run('bash', ['-c', `set -o pipefail; tar -C "$0" -c . | "$@" tar -C ${DATA} -x`, directory, ...this.#exec]);
  }

  async sendTo(receiver: DataPod): Promise<void> {
    // At the end of its input nc tells the sender to stop, so its input is a pipe without an end.
    const listen = `nc -l -p ${PORT} <>/tmp/endless`;
    const received = receiver.#sh(`rm -rf ${DATA}/* /tmp/endless; mkfifo /tmp/endless; ${listen} | tar -C ${DATA} -x`);
    received.catch(() => {}); // it is awaited below
    // Nobody listens at first, and then nc sends nothing and fails.
    await this.#sh(`until tar -C ${DATA} -c . | nc ${receiver.#address} ${PORT}; do :; done`);
    await received;
  }

  async #sh(script: string): Promise<void> {
    const [program, ...args] = this.#exec;
    await run(program, [...args, 'sh', '-c', script]);
  }
}

function report(crossing: readonly number[], tar: readonly number[]): string {
  const rate = (times: readonly number[]) => MEGABYTES / (median(times) / 1000);
  const row = (name: string, times: readonly number[]) => [
    name,
    rate(times).toFixed(0),
    (rate(times) / rate(tar)).toFixed(2),
  ];
  return table([
    [`${MEGABYTES} MB in ${FILES} files`, 'MB/s', 'ratio'],
    row('tar | tar, from pod to pod', tar),
    row('from store to store through web', crossing),
  ]);
}
