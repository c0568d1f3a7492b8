import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** The process that owns a server directory. For messages only: the lock decides. */
export interface OwnerRecord {
  readonly pid: number;
  readonly serverPid?: number;
  readonly socketDirectory?: string;
}

const NAME = 'owner.json';

/** Returns the path of the file, replaced as a whole. */
export async function writeOwner(directory: string, record: OwnerRecord): Promise<string> {
  const path = join(directory, NAME);
  const temporary = `${path}.new`;
  await rm(temporary, { force: true }); // never write through what somebody else may have put there
  await writeFile(temporary, JSON.stringify(record), { flag: 'wx', mode: 0o644 });
  await rename(temporary, path);
  return path;
}

export async function readOwner(directory: string): Promise<OwnerRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(join(directory, NAME), 'utf8')) as OwnerRecord;
    return Number.isInteger(record.pid) ? record : undefined;
  } catch {
    return undefined; // nobody yet, or one who died while writing
  }
}

export async function removeOwner(directory: string): Promise<void> {
  await rm(join(directory, NAME), { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM'; // alive, and somebody else's
  }
}
