import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
/** A lock file without a pid is one whose owner died between creating and writing it, once it is this old. */
const EMPTY_IS_STALE_MS = 2_000;

/** Runs `action` while holding the lock file `path`; waits for another live process, takes over from a dead one. */
export async function withFileLock<T>(path: string, action: () => Promise<T>, onWait?: () => void): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let waited = false;
  while (!(await tryCreate(path))) {
    if (await removeIfStale(path)) continue;
    if (!waited) onWait?.();
    waited = true;
    await sleep(POLL_MS);
  }
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryCreate(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeIfStale(path: string): Promise<boolean> {
  if (!(await isStale(path))) return false;
  // Renaming first makes sure that of two waiters only one removes this very file, not its successor.
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
    await rm(aside, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return true;
}

async function isStale(path: string): Promise<boolean> {
  try {
    const pid = Number(await readFile(path, 'utf8'));
    if (!pid) return Date.now() - (await stat(path)).mtimeMs > EMPTY_IS_STALE_MS;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ESRCH' || code === 'ENOENT';
  }
}
