import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DbError } from '../../errors.ts';
import { isAlive } from '../directory/owner-record.ts';
import type { StopStep } from './server-process.ts';
import { isOurCommandLine } from './settings.ts';

const POLL_MS = 20; // it is not our child: nothing tells us of its end
const STOP_STEPS: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

export interface Leftover {
  /** A server of ours whose owner was killed, now stopped. */
  readonly stoppedPid?: number;
  /** Environment for the next start. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Deals with what `postmaster.pid` names, before a start. The caller holds the directory's lock, so a server of ours
 * that still runs has lost its owner: it is stopped. A server that somebody started by hand is not ours to stop:
 * throws. Any other process only has the number by chance (after a reboot, or in another container); PostgreSQL would
 * take it for a server, so it is told not to, by the variable that its own pg_ctl uses for this. The file is never
 * deleted: it also leads PostgreSQL to the shared memory of backends that may have outlived their server.
 */
export async function clearLeftover(data: string): Promise<Leftover> {
  const pid = await readServerPid(data);
  if (pid === undefined || pid === process.pid || !isAlive(pid)) return { env: {} };
  if (!(await isServerOf(pid, data))) return { env: { PG_GRANDPARENT_PID: String(pid) } };
  const commandLine = await readFile(join(data, 'postmaster.opts'), 'utf8').catch(() => '');
  if (!isOurCommandLine(commandLine)) {
    throw new DbError(
      'directory-in-use',
      `A PostgreSQL server that Seaplane did not start (process ${pid}) is running on ${data}. Stop it first, or use another directory.`,
    );
  }
  await stop(pid, data);
  return { stoppedPid: pid, env: {} };
}

async function readServerPid(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

/** A server's working directory is its data directory. */
async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }));
    return basename(stdout.trim()).startsWith('postgres');
  }
  try {
    const program = basename(await readlink(`/proc/${pid}/exe`));
    const cwd = await readlink(`/proc/${pid}/cwd`);
    return /^postgres\b/.test(program) && cwd === (await realpath(data));
  } catch {
    return false; // gone, or of a user who could not serve these files
  }
}

async function stop(pid: number, data: string): Promise<void> {
  for (const { signal, waitMs } of STOP_STEPS) {
    try {
      process.kill(pid, signal);
    } catch {
      return; // gone
    }
    for (let waited = 0; waited < waitMs; waited += POLL_MS) {
      if (!isAlive(pid) || !(await isServerOf(pid, data))) return;
      await sleep(POLL_MS);
    }
  }
  throw new DbError('directory-in-use', `The PostgreSQL server left on ${data} (process ${pid}) does not stop.`);
}
