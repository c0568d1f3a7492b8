import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { placesIn, SUPERVISOR } from '../places.ts';
import { takeAgentLock } from './agent-lock.ts';
import { Cgroups } from './cgroups.ts';
import { endKeeper } from './keeper.ts';
import { placesAt } from './sandbox-directory.ts';

/** Ends everything that runs in a worker's directory, and removes the directory. Throws if an agent works in it. */
export async function resetDirectory(directory: string): Promise<void> {
  const places = placesIn(directory);
  await takeAgentLock(directory, SUPERVISOR);
  for (const hash of await readdir(places.sandboxes).catch(() => [])) {
    await endKeeper(placesAt(join(places.sandboxes, hash)));
  }
  await new Cgroups(directory).sweep(new Set());
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
