import bcrypt from 'bcryptjs';
import { isSameSecret } from './same-secret.ts';

/** A user of this installation's own: name, and password or its bcrypt hash. */
export interface LocalUser {
  readonly name: string;
  readonly password: string;
}

/** Reads `user:password,other:$2a$...`, as Concourse's CONCOURSE_ADD_LOCAL_USER has it. Throws, with nothing of it. */
export function parseLocalUsers(text: string): LocalUser[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((entry, index, { length }) => {
      const at = entry.indexOf(':');
      const [name, password] = [entry.slice(0, at), entry.slice(at + 1)];
      // By its place: it may be half of a password with a comma in it.
      if (at < 1 || password === '')
        throw new Error(`local user ${index + 1} of ${length} is not written NAME:PASSWORD`);
      return { name, password };
    });
}

/** A hash of nothing anybody knows. */
const NOBODY = '$2b$10$CwTycUXWue0Thq9StjUM0uJ8Zf6M5p3z1v1pYyP0r5c4d3e2f1a0G';

/**
 * The local user whose name, in any case, and password these are. Where any password is a bcrypt hash, every answer takes
 * as long as comparing with one, so that the time does not tell whether there is such a user.
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
  return (hashed ? sameHash : sameText) ? user : undefined;
}

function isBcrypt(text: string): boolean {
  return /^\$2[aby]\$/.test(text);
}
