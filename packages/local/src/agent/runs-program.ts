import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Whether the process runs this program. A process that has ended and nobody has reaped does not. */
export async function runsProgram(pid: number, program: string, platform = process.platform): Promise<boolean> {
  if (platform === 'linux') {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.startsWith(`${program}\0`);
  }
  const shown = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return shown?.stdout.startsWith(`${program} `) === true;
}
