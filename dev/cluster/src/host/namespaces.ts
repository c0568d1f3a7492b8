import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStartTime } from '@seaplane/dev-toolchain/process-start-time.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { writeWhole } from '@seaplane/dev-toolchain/write-whole.ts';
import type { Layout } from '../layout.ts';
import { makeMountPoints, PRIVATE_DIRECTORIES } from './mount-points.ts';
import { logTail, recordedPid, recordedPids, startRecorded } from './recorded-process.ts';

/**
 * A whole cluster lives in one network, mount and PID namespace, held by one init process. When that process ends the
 * kernel ends every other in it, containers included, and takes the mounts, bridges, packet filter rules and IP sets
 * with it. So cleaning up is certain, whatever state a crash left behind.
 */
export interface ClusterInit {
  readonly pid: number;
  /** Tells it from a later process with the same pid. */
  readonly startTime: string;
}

/** The `unshare` that made the namespaces and waits for their init. */
const LAUNCHER = 'init';

/** A machine with cgroups of version 1 may have a tree of version 2 beside them. If that has a controller, crun makes no container. */
const HIDE_SECOND_CGROUPS = '{ ! mountpoint -q /sys/fs/cgroup/unified || umount /sys/fs/cgroup/unified; }';

/** Makes the namespaces. They count as a cluster's only when {@link recordInit} has said so. */
export async function startInit(layout: Layout): Promise<ClusterInit> {
  await makeMountPoints();
  const ready = join(layout.state, 'init.ready');
  const mounts = PRIVATE_DIRECTORIES.map((directory) => `mount -t tmpfs -o mode=755 tmpfs ${directory}`).join(' && ');
  await startRecorded(layout, LAUNCHER, [
    ...['unshare', '--net', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child=KILL'],
    ...['--mount-proc', '--', 'sh', '-c'],
    `${mounts} && ${HIDE_SECOND_CGROUPS} && touch ${ready} && exec tini -s -- sleep infinity`,
  ]);
  for (;;) {
    const launcher = await recordedPid(layout, LAUNCHER);
    if (!launcher) throw new Error(`the cluster's namespaces could not be made:\n${await logTail(layout, LAUNCHER)}`);
    const init = existsSync(ready) ? await childOf(launcher) : undefined;
    if (init) return init;
    await sleep(10);
  }
}

/** From here on the next `up` takes these namespaces, with all that they need, for the cluster's. */
export async function recordInit(layout: Layout, init: ClusterInit): Promise<void> {
  await writeWhole(initFile(layout), JSON.stringify(init));
}

/** The cluster's init process, if it is alive. */
export async function findInit(layout: Layout): Promise<ClusterInit | undefined> {
  const init = await readInit(layout);
  return init && (await isAlive(init)) ? init : undefined;
}

/** Ends every process of the cluster, also of one that was never complete, and returns when the kernel has removed them. */
export async function killInit(layout: Layout): Promise<void> {
  const launcher = await identify(await recordedPid(layout, LAUNCHER));
  const init = (await readInit(layout)) ?? (launcher && (await childOf(launcher.pid)));
  if (init && (await isAlive(init))) signal(init.pid, 'SIGKILL');
  else if (launcher) signal(-launcher.pid, 'SIGKILL'); // its process group: it may be about to fork
  // A daemon that somebody has stopped stops the `nsenter` that waits for it; until that goes on, nobody reaps it.
  for (const pid of await recordedPids(layout)) signal(pid, 'SIGCONT');
  // The init of a PID namespace is only gone when all the others in it are.
  for (const process of [launcher, init]) while (process && (await isAlive(process))) await sleep(20);
  await rm(initFile(layout), { force: true });
}

/** The words to put before a command so that it runs inside the cluster's namespaces. */
export function insideOf(init: ClusterInit): string[] {
  return ['nsenter', '-t', String(init.pid), '--net', '--mount', '--pid', '--wd=/', '--'];
}

/** Runs a command to its end inside the cluster's namespaces. */
export async function runInside(init: ClusterInit, command: readonly string[]): Promise<string> {
  const [program, ...args] = [...insideOf(init), ...command] as [string, ...string[]];
  return (await run(program, args)).stdout;
}

function initFile(layout: Layout): string {
  return join(layout.state, 'init.json');
}

async function readInit(layout: Layout): Promise<ClusterInit | undefined> {
  if (!existsSync(initFile(layout))) return undefined;
  return JSON.parse(await readFile(initFile(layout), 'utf8')) as ClusterInit;
}

async function isAlive(init: ClusterInit): Promise<boolean> {
  return (await processStartTime(init.pid)) === init.startTime;
}

async function childOf(parent: number): Promise<ClusterInit | undefined> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  return identify(Number(children.split(' ')[0]));
}

async function identify(pid: number | undefined): Promise<ClusterInit | undefined> {
  const startTime = pid && (await processStartTime(pid));
  return pid && startTime ? { pid, startTime } : undefined;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
