import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DbError } from '@seaplane/db';
import { resetData } from '@seaplane/web/boot';
import { type Machine, openMachine } from '@seaplane/web/machine';

type Options = Omit<Parameters<typeof openMachine>[0], 'dataDir'>;

const MOST_SLOTS = 64;

/**
 * Opens the first part of the data directory that no other run uses. Runs at the same time so have a database and a worker
 * each, and one run after another finds the images and caches of the last.
 */
export async function openSlot(dataDir: string, options: Options): Promise<Machine> {
  for (let slot = 1; ; slot++) {
    try {
      return await openMachine({ ...options, dataDir: join(dataDir, String(slot)) });
    } catch (error) {
      const inUse = error instanceof DbError && error.code === 'directory-in-use';
      if (!inUse || slot === MOST_SLOTS) throw error;
    }
  }
}

/** Deletes all parts. Throws if a run uses one. */
export async function resetSlots(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const slot = join(dataDir, name);
    await resetData({ dataDir: slot, database: { kind: 'embedded', directory: join(slot, 'postgres') } });
    await rm(slot, { recursive: true, force: true });
  }
}
