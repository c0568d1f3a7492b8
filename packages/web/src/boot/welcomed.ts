import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Is in the data directory from the moment that the example pipeline was set. */
export const WELCOMED_FILE = 'welcomed';

export async function isWelcomed(dataDir: string): Promise<boolean> {
  return stat(join(dataDir, WELCOMED_FILE)).then(
    () => true,
    () => false,
  );
}

export async function markWelcomed(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, WELCOMED_FILE), '');
}
