import bcrypt from 'bcryptjs';
import { isSameSecret } from './same-secret.ts';

/** A user that the operator configures: a name, and a password or its bcrypt hash. */
export interface LocalUser {
  readonly name: string;
  readonly password: string;
}

/**
 * Reads `user:password,other:$2a$...`, the form of Concourse's CONCOURSE_ADD_LOCAL_USER. The message of an error does
 * not quote the text.
 */
export function parseLocalUsers(text: string): LocalUser[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((entry, index, { length }) => {
      const at = entry.indexOf(':');
      const [name, password] = [entry.slice(0, at), entry.slice(at + 1)];
      // The message names the entry by its position: the entry may be half of a password that holds a comma.
      if (at < 1 || password === '')
        throw new Error(`local user ${index + 1} of ${length} is not written NAME:PASSWORD`);
      return { name, password };
    });
}

/** The hash of a password that nobody knows. */
const NOBODY = '$2b$10$CwTycUXWue0Thq9StjUM0uJ8Zf6M5p3z1v1pYyP0r5c4d3e2f1a0G';

/**
 * Finds the local user with this name, in any case, and this password. If any password is a bcrypt hash, every answer
 * takes as long as comparing with a hash, so that the time does not reveal whether the user exists. An empty password is
 * never right.
 */
export async function findLocalUser(
  users: readonly LocalUser[],
  name: string,
  password: string,
): Promise<LocalUser | undefined> {
  const user = users.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const expected = user?.password ?? '';
  const hashed = isBcrypt(expected);
  const sameHash = users.some((each) => isBcrypt(each.password))
    ? await bcrypt.compare(password, hashed ? expected : NOBODY)
    : false;
  const sameText = isSameSecret(password, expected) && !hashed;
  const isRight = hashed ? sameHash : sameText;
  return isRight && password !== '' ? user : undefined;
}

function isBcrypt(text: string): boolean {
  return /^\$2[aby]\$/.test(text);
}
