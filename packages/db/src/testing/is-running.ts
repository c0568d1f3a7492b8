import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Whether a process runs. A dead one that nobody has waited for yet (some init programs are slow to) does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const state = stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

export async function untilEnded(pid: number): Promise<void> {
  while (await isRunning(pid)) await sleep(10);
}
