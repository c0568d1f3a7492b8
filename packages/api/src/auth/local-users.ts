import { timingSafeEqual } from 'node:crypto';
import bcrypt from 'bcryptjs';

/** A user of this installation's own: name, and password or its bcrypt hash. */
export interface LocalUser {
  readonly name: string;
  readonly password: string;
}

/** Reads `user:password,other:$2a$...`, as Concourse's CONCOURSE_ADD_LOCAL_USER has it. */
export function parseLocalUsers(text: string): LocalUser[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((entry) => {
      const at = entry.indexOf(':');
      if (at < 1) throw new Error(`"${entry}" is not a local user: write NAME:PASSWORD`);
      return { name: entry.slice(0, at), password: entry.slice(at + 1) };
    });
}

/** Whether these are a local user's name and password. Takes as long for a user that does not exist. */
export async function checkPassword(users: readonly LocalUser[], name: string, password: string): Promise<boolean> {
  const user = users.find((each) => each.name === name);
  const expected = user?.password ?? DUMMY;
  const right = isBcrypt(expected) ? await bcrypt.compare(password, expected) : sameText(password, expected);
  return right && user !== undefined;
}

/** A hash of nothing anybody knows, to compare with when there is no such user. */
const DUMMY = '$2b$10$CwTycUXWue0Thq9StjUM0uJ8Zf6M5p3z1v1pYyP0r5c4d3e2f1a0G';

function isBcrypt(text: string): boolean {
  return /^\$2[aby]\$/.test(text);
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
