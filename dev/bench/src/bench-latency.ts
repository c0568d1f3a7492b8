import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { targetKubeconfig } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import { ApiUser, freePort, RunningWeb } from '@seaplane/web/testing';
import { type BenchOptions, NAMESPACE } from './bench-step-start.ts';
import { median } from './median.ts';
import { table } from './table.ts';

/** "Nothing waits for a tick" (docs/adr/0010-nothing-waits-for-a-tick.md), in milliseconds. */
const GOAL_MS = 100;

/** At its end the process reads the machine's clock. The benchmark reads the same clock when it learns of the end. */
const PIPELINE = `
jobs:
- name: once
  plan:
  - task: once
    config:
      platform: linux
      # With its version given, no check of the image comes before the step's own pod.
      image_resource: {type: mock, source: {mirror_self: true}, version: {version: mock}}
      run: {path: sh, args: [-c, 'read up rest < /proc/uptime; echo "uptime $up"']}
`;

/**
 * The time that web itself adds: from the request that triggers a job to its pod in the cluster, and from the end of the
 * process to its event.
 */
export async function benchLatency({ index, kubectl, rounds, progress, signal }: BenchOptions): Promise<string> {
  const kubeconfig = await targetKubeconfig(index, NAMESPACE, kubectl, progress);
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
  try {
    const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
    const targetsFile = join(directory, 'targets.json');
    await writeFile(targetsFile, JSON.stringify([{ name: 'bench', kubeconfig, namespace: NAMESPACE, images }]));
    await using web = await RunningWeb.start({ port: await freePort(), dataDir: join(directory, 'data'), targetsFile });
    const user = await ApiUser.login(web.url);
    await user.setPipeline('latency', PIPELINE);
    using pods = watchPods(kubectl, kubeconfig);
    const times: { created: number; finished: number }[] = [];
    for (let round = 0; round <= rounds; round++) {
      const time = await timeBuild(user, pods, AbortSignal.any([signal, AbortSignal.timeout(120_000)]));
      if (round > 0) times.push(time); // the first build fetches the image
      progress(round === 0 ? 'warm' : `round ${round} of ${rounds}`);
    }
    return report(times);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function timeBuild(
  user: ApiUser,
  pods: PodWatch,
  signal: AbortSignal,
): Promise<{ created: number; finished: number }> {
  const seen = pods.next('task-', signal);
  seen.catch(() => {}); // the first failure is the one that is reported
  const triggered = performance.now();
  const build = await user.trigger('latency', 'once');
  let log = '';
  let finished = Number.NaN;
  for await (const { event, data } of user.events(build, signal)) {
    if (event === 'log') log += data.payload;
    if (event === 'finish-task') finished = (await uptimeSeconds()) * 1000;
  }
  const ended = Number(/uptime ([\d.]+)/.exec(log)?.[1]) * 1000;
  return { created: (await seen) - triggered, finished: finished - ended };
}

async function uptimeSeconds(): Promise<number> {
  return Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
}

interface PodWatch extends Disposable {
  /** When the next pod with such a name is first seen. */
  next(prefix: string, signal: AbortSignal): Promise<number>;
}

function watchPods(kubectl: string, kubeconfig: string): PodWatch {
  const args = ['--kubeconfig', kubeconfig, '-n', NAMESPACE, 'get', 'pods', '--watch', '-o', 'name'];
  const child = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const known = new Set<string>();
  const waiting = new Set<(name: string) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const name = line.replace('pod/', '');
    if (known.has(name)) return;
    known.add(name);
    for (const tell of waiting) tell(name);
  });
  return {
    next: (prefix, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        const tell = (name: string) => {
          if (!name.startsWith(prefix)) return;
          waiting.delete(tell);
          resolve(performance.now());
        };
        waiting.add(tell);
      }),
    [Symbol.dispose]: () => void child.kill(),
  };
}

function report(times: readonly { created: number; finished: number }[]): string {
  const row = (name: string, values: readonly number[]) => [
    name,
    median(values).toFixed(0),
    Math.min(...values).toFixed(0),
    Math.max(...values).toFixed(0),
    String(GOAL_MS),
  ];
  return table([
    ['milliseconds', 'median', 'min', 'max', 'goal'],
    row(
      'trigger -> pod seen in the cluster',
      times.map(({ created }) => created),
    ),
    row(
      'process ended -> finish event here (clock of 10 ms)',
      times.map(({ finished }) => finished),
    ),
  ]);
}
