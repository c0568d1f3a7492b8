import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterIsUp, kubectlBinary, layoutOf, targetKubeconfig } from '@seaplane/dev-cluster';
import { imageRef, imageRootfs } from '@seaplane/dev-images';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { resetData } from '@seaplane/web/boot';
import { ApiUser, freePort, RunningWeb } from '@seaplane/web/testing';
import { NAMESPACE } from './bench-step-start.ts';
import { BUILDS_AT_ONCE, localPipeline, SANDBOXES } from './local-pipeline.ts';
import { median } from './median.ts';
import { memoryOf } from './memory-of.ts';
import { table } from './table.ts';

export interface LocalOptions {
  readonly index: number;
  readonly rounds: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** One kind of place for steps. Its tag is its name. */
type Place = 'local' | 'pods';

/** By place, a row a round. */
type Times = Record<Place, number[][]>;

/** How many builds of one task, one after the other, make one figure. */
const ONE_BY_ONE = 5;

/** What is measured, in milliseconds, and the goal on this machine alone. */
interface Figure {
  readonly name: string;
  readonly goal?: number;
}
const FIGURES: readonly Figure[] = [
  { name: 'a build of one task, from trigger to finished', goal: 300 },
  { name: 'get, task, put' },
  { name: `${BUILDS_AT_ONCE} builds of one task at once` },
  { name: 'from one task to the next, with an empty artifact' },
];
const LARGE: Figure = { name: 'from one task to the next, with an artifact of 500 MB', goal: 500 };

/**
 * Builds on this machine, beside the same builds on pods if the development cluster is up, turn by turn in one web. The
 * same image is used on both.
 */
export async function benchLocal({ index, rounds, progress, signal }: LocalOptions): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
  const dataDir = join(directory, 'd');
  const database = { kind: 'embedded', directory: join(dataDir, 'postgres') } as const;
  const workers = await workersOf(index, join(dataDir, 'local'), progress);
  const places: readonly Place[] = workers.length > 1 ? ['local', 'pods'] : ['local'];
  if (places.length === 1) progress(`the cluster ${index} is not up: measuring this machine alone`);
  try {
    const targetsFile = join(directory, 'targets.json');
    await writeFile(targetsFile, JSON.stringify(workers));
    await using web = await RunningWeb.start({ port: await freePort(), dataDir, targetsFile });
    const user = await ApiUser.login(web.url);
    for (const place of places) await user.setPipeline(place, localPipeline(place));
    const inRounds = async (measure: (place: Place, within: AbortSignal) => Promise<number[]>) => {
      const times: Times = { local: [], pods: [] };
      for (let round = 0; round <= rounds; round++) {
        for (const place of places) {
          const time = await measure(place, AbortSignal.any([signal, AbortSignal.timeout(600_000)]));
          if (round > 0) times[place].push(time); // the first builds fetch images
          const shown = time.map((ms) => ms.toFixed(0)).join(', ');
          progress(`${place}: ${round === 0 ? 'warm' : `round ${round} of ${rounds}`}: ${shown}`);
        }
      }
      return times;
    };
    const builds = await inRounds((place, within) => measureBuilds(user, place, within));
    // After all others: the database's own writes wait for the disk while it takes 500 MB.
    const large = await inRounds(async (place, within) => [await handover(user, place, 'hand-over-large', within)]);
    const memory = await sandboxMemory(user, dataDir, signal);
    return `${report(builds, FIGURES)}\n\n${report(large, [LARGE])}\n\n${memory}`;
  } finally {
    await resetData({ dataDir, database }).catch((error: Error) => progress(error.message));
    if (places.length > 1) await deleteNamespace(index, progress);
    await rm(directory, { recursive: true, force: true });
  }
}

async function workersOf(index: number, directory: string, progress: Progress): Promise<object[]> {
  const mock = await imageRootfs('mock', progress);
  const local = { kind: 'local', name: 'local', tags: ['local'], directory, images: { baseTypes: { mock } } };
  if (!(await clusterIsUp(index))) return [local];
  const kubeconfig = await targetKubeconfig(index, NAMESPACE, await kubectlBinary(progress), progress);
  const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
  return [local, { name: 'pods', tags: ['pods'], kubeconfig, namespace: NAMESPACE, images }];
}

async function deleteNamespace(index: number, progress: Progress): Promise<void> {
  const args = ['--kubeconfig', layoutOf(index).kubeconfig, 'delete', 'namespace', NAMESPACE, '--ignore-not-found'];
  await run(await kubectlBinary(progress), args);
}

async function measureBuilds(user: ApiUser, place: Place, signal: AbortSignal): Promise<number[]> {
  const timeOf = async (job: string) => {
    const start = performance.now();
    await finished(user, await user.trigger(place, job), signal);
    return performance.now() - start;
  };
  const ones: number[] = [];
  while (ones.length < ONE_BY_ONE) ones.push(await timeOf('one'));
  const chain = await timeOf('chain');
  const start = performance.now();
  const builds: number[] = [];
  while (builds.length < BUILDS_AT_ONCE) builds.push(await user.trigger(place, 'one'));
  await Promise.all(builds.map((build) => finished(user, build, signal)));
  const many = performance.now() - start;
  const empty = await handover(user, place, 'hand-over-empty', signal);
  return [median(ones), chain, many, empty];
}

/** From the end of the first task's program to the start of the second's, by the machine's clock, which both read. */
async function handover(user: ApiUser, place: Place, job: string, signal: AbortSignal): Promise<number> {
  const log = await finished(user, await user.trigger(place, job), signal);
  const [ended, started] = [...log.matchAll(/uptime ([\d.]+)/g)].map(([, seconds]) => Number(seconds));
  if (ended === undefined || started === undefined) throw new Error(`no times in the log of ${job}:\n${log}`);
  return (started - ended) * 1000;
}

async function finished(user: ApiUser, build: number, signal: AbortSignal): Promise<string> {
  const log = await user.log(build, signal);
  const status = await user.status(build);
  if (status !== 'succeeded') throw new Error(`build ${build} ${status}:\n${log}`);
  return log;
}

/** What sandboxes hold while their processes sleep: those of the worker itself, not the steps' own programs. */
async function sandboxMemory(user: ApiUser, dataDir: string, signal: AbortSignal): Promise<string> {
  const build = await user.trigger('local', 'sleepers');
  const within = AbortSignal.any([signal, AbortSignal.timeout(600_000)]);
  const isUp = (log: string) => (log.match(/sleeping/g) ?? []).length >= SANDBOXES;
  const log = await user.log(build, within, isUp);
  if (!isUp(log)) throw new Error(`the sandboxes did not start:\n${log}`);
  const { bytes, processes } = await memoryOf(join(dataDir, 'local'));
  await user.abort(build);
  const each = bytes / SANDBOXES / 1e6;
  return `${SANDBOXES} sandboxes: ${(bytes / 1e6).toFixed(0)} MB in ${processes} processes (${each.toFixed(2)} MB each), and their agent`;
}

function report(times: Times, figures: readonly Figure[]): string {
  const middle = (place: Place, column: number) =>
    times[place].length > 0 ? median(times[place].map((row) => row[column] ?? Number.NaN)) : undefined;
  const shown = (ms: number | undefined) => (ms === undefined ? '-' : ms.toFixed(0));
  const rows = figures.map(({ name, goal }, column) => {
    const [local, pods] = [middle('local', column), middle('pods', column)];
    const least = Math.min(...times.local.map((row) => row[column] ?? Number.NaN));
    const ratio = local !== undefined && pods !== undefined ? (pods / local).toFixed(1) : '-';
    return [name, shown(local), shown(least), shown(pods), ratio, goal === undefined ? '' : String(goal)];
  });
  return table([['milliseconds, medians', 'here', 'here, min', 'pods', 'pods / here', 'goal here'], ...rows]);
}
