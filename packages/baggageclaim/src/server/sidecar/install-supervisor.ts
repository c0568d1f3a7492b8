import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts the supervisor where the step's container starts it, unless it is there. The pod's hook does the same, but a kubelet
 * that is restarted before the hook has run does not run the hook again, and starts the step's container all the same.
 */
export async function installSupervisor(from: string, to: string): Promise<void> {
  if (existsSync(to)) return;
  await mkdir(dirname(to), { recursive: true });
  const partial = `${to}.sidecar`; // the hook has a partial file of its own
  await copyFile(from, partial);
  await chmod(partial, 0o755);
  await rename(partial, to);
}
