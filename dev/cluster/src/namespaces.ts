import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '@seaplane/dev-toolchain/run.ts';
import type { Layout } from './layout.ts';
import { makeMountPoints, PRIVATE_DIRECTORIES } from './mount-points.ts';

/**
 * A whole cluster lives in one network, mount and PID namespace, held by one init process. When that process ends the
 * kernel ends every other in it, containers included, and takes the mounts, bridges, packet filter rules and IP sets
 * with it. So cleaning up is certain, whatever state a crash left behind.
 */
export interface ClusterInit {
  readonly pid: number;
  /** The kernel's start time of that process: tells it from a later one with the same pid. */
  readonly startTime: string;
}

export async function startInit(layout: Layout): Promise<ClusterInit> {
  await makeMountPoints();
  const mounts = PRIVATE_DIRECTORIES.map((directory) => `mount -t tmpfs -o mode=755 tmpfs ${directory}`).join(' && ');
  const log = openSync(join(layout.state, 'log', 'init.log'), 'a');
  const unshare = spawn(
    'unshare',
    [
      ...['--net', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...['--', 'sh', '-c', `${mounts} && touch ${join(layout.state, 'init.ready')} && exec tini -s -- sleep infinity`],
    ],
    { cwd: '/', detached: true, stdio: ['ignore', log, log] },
  );
  unshare.unref();
  const failed = new Promise<never>((_, reject) => {
    unshare.on('error', reject);
    unshare.on('exit', (code) => reject(new Error(`the cluster's init process ended at once (exit status ${code})`)));
  });
  failed.catch(() => {});
  const pid = await Promise.race([firstChild(unshare.pid as number, join(layout.state, 'init.ready')), failed]);
  const init = { pid, startTime: (await startTimeOf(pid)) as string };
  await writeFile(initFile(layout), JSON.stringify(init));
  return init;
}

/** The cluster's init process, if it is alive. */
export async function findInit(layout: Layout): Promise<ClusterInit | undefined> {
  const init = await readInit(layout);
  return init && (await isAlive(init)) ? init : undefined;
}

/** Ends every process of the cluster and returns when the kernel has removed them all. */
export async function killInit(layout: Layout): Promise<void> {
  const init = await readInit(layout);
  if (!init) return;
  if (await isAlive(init)) process.kill(init.pid, 'SIGKILL');
  // The init of a PID namespace is only gone when all the others in it are.
  while (await isAlive(init)) await sleep(20);
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
  return (await startTimeOf(init.pid)) === init.startTime;
}

/** Field 22 of /proc/PID/stat; undefined when there is no such process or it is dead but not reaped. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

async function firstChild(parent: number, readyFile: string): Promise<number> {
  while (!existsSync(readyFile)) await sleep(10);
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}
