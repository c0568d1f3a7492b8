import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalUser, parseLocalUsers } from '@seaplane/api';

export interface LocalUsers {
  readonly users: readonly LocalUser[];
  /** The names of the users who own the team `main`. */
  readonly owners: readonly string[];
  /** Set when no users are configured: how to log in as the administrator. */
  readonly hint?: string;
}

/** Returns the configured users. If none are configured, there is one administrator, whose password is made once and kept. */
export async function loadLocalUsers(
  configured: string | undefined,
  mainTeamUsers: readonly string[],
  dataDir: string,
): Promise<LocalUsers> {
  if (configured !== undefined) {
    const users = parseLocalUsers(configured);
    return { users, owners: mainTeamUsers.length > 0 ? mainTeamUsers : users.slice(0, 1).map(({ name }) => name) };
  }
  const file = join(dataDir, 'admin-password');
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, randomBytes(12).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  const password = (await readFile(file, 'utf8')).trim();
  return { users: [{ name: 'admin', password }], owners: ['admin'], hint: `-u admin -p "$(cat ${file})"` };
}
