import { statfs } from 'node:fs/promises';
import type { HostHealth } from '@seaplane/orchestrator';
import type { AgentSettings } from './agent-settings.ts';

/** Less than this is a problem: unpacking an image would fill the disk. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;

/** Whether this machine can run steps, and why not. */
export async function checkMachine({ places, mode }: AgentSettings): Promise<HostHealth> {
  try {
    await mode();
  } catch (error) {
    return { usable: false, problems: [(error as Error).message] };
  }
  const { bavail, bsize } = await statfs(places.root);
  const problems: string[] = [];
  if (bavail * bsize < LEAST_FREE_BYTES) {
    problems.push(`the disk of ${places.root} has only ${Math.floor((bavail * bsize) / 1e6)} MB left`);
  }
  return { usable: true, problems };
}
