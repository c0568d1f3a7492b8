import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireInit, targetKubeconfig } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import { clusterForTests, parseTarget } from '@seaplane/kubernetes/testing';
import { ApiUser, freePort, RunningWeb } from '@seaplane/web/testing';
import { type BenchOptions, NAMESPACE } from './bench-step-start.ts';
import { type CpuTimes, cpuOf, cpuSince, inNamespaceOf, pidsOf } from './cpu-of.ts';
import { CpuSamples, sampleClock } from './cpu-samples.ts';
import { POD_KINDS, podOf, timePods, untilStepsHaveGone } from './many-pods.ts';
import { median } from './median.ts';
import type { ProgramTimes, Span } from './program-times.ts';
import { table } from './table.ts';

const AT_ONCE = 30;
/** Builds over bare pods. */
const GOAL = 1.3;

const PIPELINE = `
jobs:
- name: one
  plan:
  - task: one
    config: {platform: linux, rootfs_uri: "docker:///${imageRef('busybox')}", run: {path: 'true'}}
`;

interface Measured {
  readonly ms: number;
  /** Of the cluster, by program. */
  readonly cpu: CpuTimes;
}

/** Thirty builds of one task at once, beside thirty pods of several kinds, turn by turn: what they take, and what of. */
export async function benchMany({ index, kubectl, rounds, progress, ...stop }: BenchOptions): Promise<string> {
  const kubeconfig = await targetKubeconfig(index, NAMESPACE, kubectl, progress);
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
  const isInCluster = await inNamespaceOf((await requireInit(index)).pid);
  const series = new Map<string, Measured[]>();
  const spans: Span[] = [];
  try {
    const images = { baggageclaim: imageRef('baggageclaim') };
    const entry = { name: 'bench', kubeconfig, namespace: NAMESPACE, images, template: { dnsPolicy: 'Default' } };
    const targetsFile = join(directory, 'targets.json');
    await writeFile(targetsFile, JSON.stringify([entry]));
    using cluster = clusterForTests(parseTarget(entry));
    await using web = await RunningWeb.start({ port: await freePort(), dataDir: join(directory, 'data'), targetsFile });
    const user = await ApiUser.login(web.url);
    await user.setPipeline('many', PIPELINE);
    await using samples = await CpuSamples.start(join(directory, 'samples'));
    if (!samples) progress('perf is not installed: there is no table by program');
    const roots = new Set([process.pid, ...(await pidsOf(isInCluster))]); // web and its database are children of this process
    const measure = async (name: string, run: (signal: AbortSignal) => Promise<number>) => {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(300_000)]);
      const before = await cpuOf(isInCluster);
      const from = sampleClock();
      const ms = await run(signal);
      await untilStepsHaveGone(cluster, signal);
      const span = { name, from, to: sampleClock() };
      return { name, ms, span, cpu: cpuSince(before, await cpuOf(isInCluster)) };
    };
    for (let round = 0; round <= rounds; round++) {
      const measured = [];
      for (const kind of POD_KINDS) {
        const names = Array.from({ length: AT_ONCE }, (_, i) => `many-${round}-${POD_KINDS.indexOf(kind)}-${i}`);
        const pods = names.map((name) => podOf(kind, name));
        measured.push(await measure(kind, (signal) => timePods(cluster, pods, signal)));
      }
      measured.push(await measure('builds of one task', (signal) => timeBuilds(user, signal)));
      for (const { name, span, ...values } of round > 0 ? measured : []) {
        series.set(name, [...(series.get(name) ?? []), values]); // the first round warms up
        spans.push(span);
      }
      const shown = measured.map(({ name, ms }) => `${name} ${(ms / 1000).toFixed(1)}`).join(', ');
      progress(`${round === 0 ? 'warm' : `round ${round} of ${rounds}`}: ${shown}`);
    }
    const programs = await samples?.times(spans, roots);
    return [report(series), ...(programs ? ['', byProgram(programs, rounds)] : [])].join('\n');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function timeBuilds(user: ApiUser, signal: AbortSignal): Promise<number> {
  const start = performance.now();
  const builds = await Promise.all(Array.from({ length: AT_ONCE }, () => user.trigger('many', 'one')));
  await Promise.all(
    builds.map(async (build) => {
      const log = await user.log(build, signal);
      const status = await user.status(build);
      if (status !== 'succeeded') throw new Error(`build ${build} ${status}:\n${log}`);
    }),
  );
  return performance.now() - start;
}

function report(series: ReadonlyMap<string, readonly Measured[]>): string {
  const middle = (name: string, value: (measured: Measured) => number) => median((series.get(name) ?? []).map(value));
  const base = middle('bare pods', ({ ms }) => ms);
  const used = ({ cpu }: Measured) => [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0);
  const rows = [...series].map(([name, values]) => {
    const times = values.map(({ ms }) => ms / 1000);
    const range = `${Math.min(...times).toFixed(1)}-${Math.max(...times).toFixed(1)}`;
    const ms = middle(name, (measured) => measured.ms);
    return [name, (ms / 1000).toFixed(1), range, `${(ms / base).toFixed(2)}x`, middle(name, used).toFixed(1)];
  });
  const programs = [...new Set([...series.values()].flatMap((all) => all.flatMap(({ cpu }) => [...cpu.keys()])))];
  const shares = programs
    .map((program) => [
      program,
      ...[...series.keys()].map((name) => middle(name, ({ cpu }) => cpu.get(program) ?? 0).toFixed(1)),
    ])
    .filter(([, ...seconds]) => seconds.some((value) => Number(value) >= 0.2));
  const ratio = middle('builds of one task', ({ ms }) => ms) / base;
  return [
    table([[`${AT_ONCE} at once`, 'seconds', 'range', 'ratio', 'CPU seconds of the cluster'], ...rows]),
    '',
    table([['CPU seconds', ...series.keys()], ...shares]),
    '',
    `builds over bare pods: ${ratio.toFixed(2)}x, goal <= ${GOAL}x`,
  ].join('\n');
}

/** Also of short processes, of web and its database, and of the kernel. Other work on the machine is in the kernel's. */
function byProgram(times: ProgramTimes, rounds: number): string {
  const names = [...times.keys()];
  const perPod = (seconds: number) => (seconds * 1000) / AT_ONCE / rounds;
  const most = (program: string) => Math.max(...names.map((name) => times.get(name)?.get(program) ?? 0));
  const programs = [...new Set(names.flatMap((name) => [...(times.get(name)?.keys() ?? [])]))]
    .filter((program) => perPod(most(program)) >= 2)
    .sort((a, b) => most(b) - most(a));
  const row = (program: string) => [
    program,
    ...names.map((name) => perPod(times.get(name)?.get(program) ?? 0).toFixed(1)),
  ];
  return table([['CPU milliseconds a pod', ...names], ...programs.map(row)]);
}
