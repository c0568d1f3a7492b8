import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteEmbedded } from '@seaplane/db';
import type { WebConfig } from './config.ts';
import { resetLocal } from './host-kinds.ts';
import { WELCOMED_FILE } from './welcomed.ts';

/** Everything else that web keeps in its data directory. */
const FILES = ['admin-password', 'signing-key', WELCOMED_FILE];

/**
 * Ends the steps that run on this machine, and deletes all data of this web. A database of the operator's own is left alone.
 * Throws if a web uses the data.
 */
export async function resetData({ dataDir, database }: Pick<WebConfig, 'dataDir' | 'database'>): Promise<void> {
  // The database first: its lock shows whether a web runs.
  if (database.kind === 'embedded') await deleteEmbedded(database.directory);
  await resetLocal(join(dataDir, 'local'));
  for (const name of FILES) await rm(join(dataDir, name), { force: true });
}
