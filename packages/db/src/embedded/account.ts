import { readFile } from 'node:fs/promises';
import { DbError } from '../errors.ts';

/** The user that the server runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** This process is root and the server is not: files must be given to it, and programs started as it. */
  readonly dropped: boolean;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface AccountChoice {
  readonly self: Owner;
  /** Where the server's files are, for the message. */
  readonly path: string;
  /** Owner of the existing data, if there is any: PostgreSQL serves only what its own user owns. */
  readonly dataOwner?: Owner | undefined;
  /** Owner of the directory that the data is in. */
  readonly directoryOwner: Owner;
  /** The text of /etc/passwd. */
  readonly passwd: string;
}

/**
 * PostgreSQL refuses to run as root, so root starts it as somebody else. Existing files decide; for a new directory of
 * root's own it is an account made for this (`seaplane`), the one that databases run as (`postgres`), or `nobody`,
 * which every system has. On a machine where other daemons run as `nobody` too, make an account `seaplane`.
 */
const DEFAULT_ACCOUNTS = ['seaplane', 'postgres', 'nobody'];

export function chooseAccount({ self, path, dataOwner, directoryOwner, passwd }: AccountChoice): Account {
  if (self.uid !== 0) {
    if (dataOwner && dataOwner.uid !== self.uid) throw belongsToAnother(path, dataOwner.uid, self.uid);
    return { ...self, dropped: false };
  }
  if (dataOwner?.uid === 0) {
    throw new DbError(
      'directory-unusable',
      `The database files in ${path} belong to root, and PostgreSQL does not run as root. Give them to another user (chown -R), then start again.`,
    );
  }
  if (dataOwner) return { ...dataOwner, dropped: true };
  if (directoryOwner.uid !== 0) return { ...directoryOwner, dropped: true };
  const accounts = parsePasswd(passwd);
  for (const name of DEFAULT_ACCOUNTS) {
    const account = accounts.get(name);
    if (account && account.uid !== 0) return { ...account, dropped: true };
  }
  throw new DbError(
    'directory-unusable',
    `PostgreSQL does not run as root, and there is no account named ${DEFAULT_ACCOUNTS.join(', ')} to run it as. Start Seaplane as another user, or give ${path} to one.`,
  );
}

function belongsToAnother(path: string, owner: number, self: number): DbError {
  return new DbError(
    'directory-unusable',
    `The database files in ${path} belong to the user with id ${owner}, and this is the user with id ${self}. Start Seaplane as that user (or as root), or use another directory.`,
  );
}

function parsePasswd(text: string): Map<string, Owner> {
  const accounts = new Map<string, Owner>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}

export async function readPasswd(): Promise<string> {
  return readFile('/etc/passwd', 'utf8').catch(() => '');
}
