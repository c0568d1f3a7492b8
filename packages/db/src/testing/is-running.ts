import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Whether a process runs. A zombie, which no parent has waited for yet, does not run. */
export async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const state = stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

export async function untilEnded(pid: number): Promise<void> {
  while (await isRunning(pid)) await sleep(10);
}
