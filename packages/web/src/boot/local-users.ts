import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type LocalUser, parseLocalUsers } from '@seaplane/api';
import { readOrMake } from './read-or-make.ts';
import { WebError } from './web-error.ts';

/** A shorter password is a damaged file, or too easy to guess. */
const SHORTEST_PASSWORD = 8;

export interface LocalUsers {
  readonly users: readonly LocalUser[];
  /** The names of the users who own the team `main`. */
  readonly owners: readonly string[];
  /** Set when no users are configured: how to log in as the administrator. */
  readonly hint?: string;
  /** Set when no users are configured: the file that holds the administrator's password. */
  readonly passwordFile?: string;
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
  const password = (await readOrMake(file, () => randomBytes(12).toString('base64url'))).trim();
  if (password.length < SHORTEST_PASSWORD) {
    throw new WebError(
      'bad-admin-password',
      `${file} does not hold a password of at least ${SHORTEST_PASSWORD} characters. Write one into the file. Or remove the ` +
        'file: web makes a new password.',
    );
  }
  const hint = `-u admin -p "$(cat ${file})"`;
  return { users: [{ name: 'admin', password }], owners: ['admin'], hint, passwordFile: file };
}
