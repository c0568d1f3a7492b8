import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The id of the running of this machine: another one after each start. */
export async function readBootId(platform: NodeJS.Platform = process.platform): Promise<string> {
  if (platform === 'linux') return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const { stdout } = await promisify(execFile)('sysctl', ['-n', 'kern.bootsessionuuid']);
  return stdout.trim();
}
