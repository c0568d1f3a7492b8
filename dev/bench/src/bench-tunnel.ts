import { type BaggageclaimClient, createSigner, generateKeys } from '@seaplane/baggageclaim';
import { targetKubeconfig } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import { openTestHost, parseTarget } from '@seaplane/kubernetes/testing';
import { type BenchOptions, NAMESPACE } from './bench-step-start.ts';
import { median } from './median.ts';
import { PhaseWatch } from './phase-watch.ts';
import { table } from './table.ts';
import { timed } from './timed.ts';

const HANDLE = 'bench-tunnel';
const MEGABYTES = 256;
const CALLS = 50;
const TOGETHER = 100;
const DIRECTORY = '/tmp/build/bytes';

interface Way {
  readonly name: 'direct' | 'tunnel';
  readonly client: BaggageclaimClient;
}

/** Uses one pod by both ways, turn by turn. */
export async function benchTunnel({ index, kubectl, rounds, progress, ...stop }: BenchOptions): Promise<string> {
  const kubeconfig = await targetKubeconfig(index, NAMESPACE, kubectl, progress);
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout((rounds + 2) * 60_000)]);
  const images = { baggageclaim: imageRef('baggageclaim') };
  const template = { dnsPolicy: 'Default' };
  const target = parseTarget({ name: 'bench', namespace: NAMESPACE, kubeconfig, images, template });
  const signer = createSigner(generateKeys().privateKey);
  using near = await openTestHost(target, { signer });
  using far = await openTestHost(target, { signer, routed: false });
  await using watch = new PhaseWatch(near);
  await near.store();
  const ready = watch.next(HANDLE, 'ready', signal);
  const labels = { type: 'task', team: 'main', step: 'bench' } as const;
  const image = { reference: imageRef('busybox') };
  await near.create({ handle: HANDLE, image, privileged: false, hermetic: false, mounts: [], labels }, signal);
  await ready;
  const ways: Way[] = [
    { name: 'direct', client: await near.connect(HANDLE) },
    { name: 'tunnel', client: await far.connect(HANDLE) },
  ];
  await processOf(
    (ways[0] as Way).client,
    'fill',
    `dd if=/dev/urandom of=${DIRECTORY}/bytes bs=1M count=${MEGABYTES}`,
    signal,
  );
  const series = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, client } of ways) {
      for (const [what, value] of Object.entries(await measure(client, `${name}-${round}`, signal))) {
        const key = `${what}: ${name}`;
        if (round > 0) series.set(key, [...(series.get(key) ?? []), value]); // the first round warms up
      }
    }
    progress(round === 0 ? 'warm' : `round ${round} of ${rounds}`);
  }
  return report(series);
}

const ROWS = {
  call: 'a call, ms',
  calls: `${TOGETHER} calls at once, ms`,
  process: 'a process, from request to exit record, ms',
  read: `reading ${MEGABYTES} MB, MB/s`,
} as const;

async function measure(client: BaggageclaimClient, id: string, signal: AbortSignal): Promise<Record<string, number>> {
  const calls: number[] = [];
  for (let i = 0; i < CALLS; i++) calls.push(await timed(() => client.health(signal)));
  const together = await timed(() => Promise.all(Array.from({ length: TOGETHER }, () => client.health(signal))));
  const process = await timed(() => processOf(client, id, 'echo x', signal));
  const read = await timed(async () => {
    for await (const _ of await client.readTree(DIRECTORY, signal));
  });
  return {
    [ROWS.call]: median(calls),
    [ROWS.calls]: together,
    [ROWS.process]: process,
    [ROWS.read]: MEGABYTES / (read / 1000),
  };
}

async function processOf(client: BaggageclaimClient, id: string, script: string, signal: AbortSignal): Promise<void> {
  const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [DIRECTORY] };
  await client.run({ id, attempt: '1', path: 'sh', args: ['-c', script], ...plain }, signal);
  for await (const item of client.output({ id, attempt: '1' }, { stdout: 0, stderr: 0 }, signal)) {
    if (item.kind !== 'exit') continue;
    const { end } = item.record;
    if (end.kind !== 'exited' || end.status !== 0) throw new Error(`the process failed: ${JSON.stringify(end)}`);
  }
}

function report(series: ReadonlyMap<string, readonly number[]>): string {
  const rows = Object.values(ROWS).map((what) => {
    const [direct, tunnel] = ['direct', 'tunnel'].map((way) => median(series.get(`${what}: ${way}`) ?? [])) as [
      number,
      number,
    ];
    return [what, direct.toFixed(1), tunnel.toFixed(1), (tunnel / direct).toFixed(2)];
  });
  return table([['', 'direct', 'tunnel', 'tunnel / direct'], ...rows]);
}
