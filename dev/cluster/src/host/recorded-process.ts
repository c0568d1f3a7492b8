import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Layout } from '../layout.ts';

const POLL_MS = 5;

/**
 * Starts a program that outlives us, in a process group of its own. It writes its pid down before it does anything
 * else, so that we may be killed at any moment and leave none that nobody knows of. Its command line must name the
 * cluster's state directory: that tells it from a later process with the same pid.
 */
export async function startRecorded(
  layout: Layout,
  name: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  await rm(pidFile(layout, name), { force: true });
  const log = openSync(logFile(layout, name), 'a');
  const script = 'echo $$ >"$0" && exec "$@"';
  const child = spawn('sh', ['-c', script, pidFile(layout, name), ...command], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env,
  });
  closeSync(log);
  let ended = false;
  const end = () => {
    ended = true;
  };
  child.on('exit', end).on('error', end);
  child.unref();
  while (!ended && !(await readPid(layout, name))) await sleep(POLL_MS);
}

/** The pid of a program that was started under this name and is alive. */
export async function recordedPid(layout: Layout, name: string): Promise<number | undefined> {
  const pid = await readPid(layout, name);
  if (!pid) return undefined;
  return (await commandLine(pid)).includes(layout.state) ? pid : undefined;
}

/** Empty for a process that is dead. A process that becomes another program has an empty one for an instant, too: ask again. */
async function commandLine(pid: number): Promise<string> {
  for (;;) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line || !(await runsProgram(pid))) return line;
  }
}

/** A dead process that nobody has reaped, and a thread of the kernel, run no program. */
async function runsProgram(pid: number): Promise<boolean> {
  return await readlink(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  );
}

/** Every program that was started and is alive, with its pid. */
export async function recordedPids(layout: Layout): Promise<number[]> {
  const names = await readdir(join(layout.state, 'pid')).catch(() => []);
  const pids = await Promise.all(names.map((name) => recordedPid(layout, name)));
  return pids.filter((pid) => pid !== undefined);
}

/** Its last words, and where all of them are. */
export async function logTail(layout: Layout, name: string): Promise<string> {
  const text = await readFile(logFile(layout, name), 'utf8').catch(() => '(no log)');
  return `${text.trimEnd().split('\n').slice(-10).join('\n')}\n(all of it: ${logFile(layout, name)})`;
}

async function readPid(layout: Layout, name: string): Promise<number> {
  return Number(await readFile(pidFile(layout, name), 'utf8').catch(() => ''));
}

function logFile(layout: Layout, name: string): string {
  return join(layout.state, 'log', `${name}.log`);
}

function pidFile(layout: Layout, name: string): string {
  return join(layout.state, 'pid', name);
}
