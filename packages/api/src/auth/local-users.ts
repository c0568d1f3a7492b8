import type { Comparison } from './password-thread.ts';
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

export interface LocalUsers {
  readonly users: readonly LocalUser[];
  /** Compares a password with a bcrypt hash. */
  readonly compare: (comparison: Comparison) => Promise<boolean>;
}

/**
 * Finds the local user with this name, in any case, and this password. If any password is a bcrypt hash, every answer
 * takes as long as comparing with a hash, so that the time does not reveal whether the user exists. An empty password is
 * never right.
 */
export async function findLocalUser(
  { users, compare }: LocalUsers,
  name: string,
  password: string,
): Promise<LocalUser | undefined> {
  const user = users.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const expected = user?.password ?? '';
  const isHashed = isBcrypt(expected);
  const hash = isHashed ? expected : users.find((each) => isBcrypt(each.password))?.password;
  const isSameHash = hash !== undefined && (await compare({ password, hash }));
  const isSameText = isSameSecret(password, expected);
  const isRight = isHashed ? isSameHash : isSameText;
  return isRight && password !== '' ? user : undefined;
}

function isBcrypt(text: string): boolean {
  return /^\$2[aby]\$/.test(text);
}
