import { readdir, rm } from 'node:fs/promises';
import { placesIn } from '../places.ts';
import { takeAgentLock } from './agent-lock.ts';
import { Cgroups } from './cgroups.ts';
import { endKeeper } from './keeper.ts';
import { placesOf, readSaved } from './sandbox-directory.ts';

/** Ends everything that runs in a worker's directory, and removes the directory. Throws if an agent works in it. */
export async function resetDirectory(directory: string): Promise<void> {
  const places = placesIn(directory);
  await takeAgentLock(directory);
  for (const hash of await readdir(places.sandboxes).catch(() => [])) {
    const { spec } = await readSaved(places, hash);
    await endKeeper(placesOf(places, spec.handle));
  }
  await new Cgroups(directory).sweep(new Set());
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
