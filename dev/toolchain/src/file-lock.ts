import { mkdir, open, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStartTime } from './process-start-time.ts';

const POLL_MS = 200;
/** Steps that take microseconds: one that is not done after this time was begun by a process that died. */
const OLD_MS = 2_000;

/** Runs `action` while holding the lock file `path`; waits for another live process, takes over from a dead one. */
export async function withFileLock<T>(path: string, action: () => Promise<T>, onWait?: () => void): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const owner = `${process.pid} ${(await processStartTime(process.pid)) ?? ''}`;
  let waited = false;
  while (!(await tryCreate(path, owner))) {
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

async function tryCreate(path: string, owner: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx');
    await file.writeFile(owner);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead owner. Of several processes that found it, one at a time looks again and removes it, so
 * that none removes the lock of the next owner.
 */
async function removeIfStale(path: string): Promise<boolean> {
  if (!(await isStale(path))) return false;
  const guard = `${path}.takeover`;
  if (!(await tryMakeDirectory(guard))) {
    if (await isOld(guard)) await rmdir(guard).catch(ignoreMissing); // it died in the few lines below
    return false;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
    return true;
  } finally {
    await rmdir(guard).catch(ignoreMissing);
  }
}

async function tryMakeDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the lock's owner is dead. A lock that is gone is not stale: removing it could only hit the next one. */
async function isStale(path: string): Promise<boolean> {
  try {
    const [pid, startTime] = (await readFile(path, 'utf8')).split(' ');
    if (!Number(pid)) return await isOld(path); // it died between creating and writing the file
    process.kill(Number(pid), 0);
    // The pid is alive, but may belong to a later process: pids are used again, in containers soon. /proc tells which.
    return Boolean(startTime) && (await processStartTime(Number(pid))) !== startTime;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = (await stat(path).catch(ignoreMissing)) ?? { mtimeMs: Number.POSITIVE_INFINITY };
  return Date.now() - mtimeMs > OLD_MS;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
