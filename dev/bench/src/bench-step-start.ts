import { targetKubeconfig } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { clusterForTests, openTestHost, parseTarget, type Target } from '@seaplane/kubernetes/testing';
import { barePod, timeBarePod } from './bare-pod.ts';
import { median } from './median.ts';
import { PhaseWatch } from './phase-watch.ts';
import { timeStep } from './step-start.ts';
import { table } from './table.ts';

export interface BenchOptions {
  readonly index: number;
  readonly kubectl: string;
  readonly rounds: number;
  readonly progress: Progress;
  /** Ends the run early; it then rejects. */
  readonly signal: AbortSignal;
}

/** Ours over a bare pod with a token volume; docs/adr/0004. */
const GOALS = { off: 1.3, on: 1.45 } as const;
/** Everything a run makes is in it. */
export const NAMESPACE = 'bench';

/** Starts each kind of pod once in each round, so that other load on the machine affects all kinds alike. */
export async function benchStepStart({ index, kubectl, rounds, progress, ...stop }: BenchOptions): Promise<string> {
  const kubeconfig = await targetKubeconfig(index, NAMESPACE, kubectl, progress);
  const series = new Map<string, number[]>();
  const note = (name: string, value: number) => series.set(name, [...(series.get(name) ?? []), value]);
  const image = imageRef('busybox');
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout((rounds + 1) * 60_000)]);
  await using plain = await openHost(kubeconfig, 'off');
  await using confined = await openHost(kubeconfig, 'on');
  using cluster = clusterForTests(plain.target);
  for (let round = 0; round <= rounds; round++) {
    const record = round === 0 ? () => {} : note; // the first start of everything warms it up
    const run = `${process.pid}-${round}`;
    record('bare pod, no volume', await timeBarePod(cluster, barePod(`bare-${run}`, image, false), signal));
    record('bare pod, token volume', await timeBarePod(cluster, barePod(`token-${run}`, image, true), signal));
    for (const [name, host] of [
      ['step', plain],
      ['step in a user namespace', confined],
    ] as const) {
      const handle = `bench-${host.target.userNamespaces}-${run}`;
      const times = await timeStep(host.host, host.watch, handle, image, signal);
      record(`${name}: ready`, times.ready);
      record(`${name}: first byte here`, times.firstByte);
      record(`${name}: exit status here`, times.exit);
    }
    progress(round === 0 ? 'warm' : `round ${round} of ${rounds}`);
  }
  return report(series);
}

async function openHost(kubeconfig: string, userNamespaces: 'on' | 'off') {
  const target: Target = parseTarget({
    name: `bench-${userNamespaces}`,
    namespace: NAMESPACE,
    kubeconfig,
    images: { baggageclaim: imageRef('baggageclaim') },
    userNamespaces,
    template: { dnsPolicy: 'Default' },
  });
  const host = await openTestHost(target);
  const watch = new PhaseWatch(host);
  return {
    target,
    host,
    watch,
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      host[Symbol.dispose]();
    },
  };
}

function report(series: ReadonlyMap<string, readonly number[]>): string {
  const base = median(series.get('bare pod, token volume') ?? []);
  const rows = [...series].map(([name, values]) => {
    const middle = median(values);
    const range = `${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)}`;
    return [name, middle.toFixed(0), range, `${(middle / base).toFixed(2)}x`];
  });
  const ratio = (name: string) => median(series.get(name) ?? []) / base;
  const goals = [
    ['step: first byte here', GOALS.off],
    ['step in a user namespace: first byte here', GOALS.on],
  ] as const;
  const verdicts = goals.map(([name, goal]) => `${name}: ${ratio(name).toFixed(2)}x, goal <= ${goal}x`);
  return [table([['create ->', 'median ms', 'range', 'ratio'], ...rows]), '', ...verdicts].join('\n');
}
