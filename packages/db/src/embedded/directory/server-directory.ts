import { access, chmod, constants, lchown, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, DbError } from '../../errors.ts';
import { type Account, chooseAccount, readPasswd } from '../account.ts';
import { DirectoryLock } from './directory-lock.ts';
import { diskFull } from './free-space.ts';
import { isAlive, type OwnerRecord, readOwner, removeOwner, writeOwner } from './owner-record.ts';
import { makeSocketDirectory, removeSocketDirectory } from './socket-directory.ts';

/**
 * The directory that holds everything of one server, locked for this process while it is open:
 *
 *   data/        PostgreSQL's own files (data.new-XXXXXX/ while they are being made)
 *   run/         its socket, unless that path would be too long
 *   software/    what node_modules could not give, see installation.ts
 *   lock         held by the process that owns the server
 *   owner.json   who that is, for messages and for cleaning up after it
 *
 * When root starts the server, the directory stays root's, and data/ and run/ belong to the server's user.
 */
export class ServerDirectory implements AsyncDisposable {
  readonly path: string;
  readonly account: Account;
  readonly socketDirectory: string;
  readonly #lock: DirectoryLock;

  private constructor(path: string, account: Account, socketDirectory: string, lock: DirectoryLock) {
    this.path = path;
    this.account = account;
    this.socketDirectory = socketDirectory;
    this.#lock = lock;
  }

  get data(): string {
    return join(this.path, 'data');
  }

  get software(): string {
    return join(this.path, 'software');
  }

  /** Makes the directory if need be and takes its lock. Throws `directory-in-use` when another process has it. */
  static async open(wanted: string): Promise<ServerDirectory> {
    try {
      const path = await makeDirectory(resolve(wanted));
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
      const account = await accountFor(path);
      if (account.dropped) await letIn(account, path);
      return await ServerDirectory.#lockAndOpen(path, account);
    } catch (error) {
      throw explainSystemError(error, wanted);
    }
  }

  static async #lockAndOpen(path: string, account: Account): Promise<ServerDirectory> {
    const lockFile = join(path, 'lock');
    const lock = DirectoryLock.acquire(lockFile);
    if (!lock) throw inUse(path, await readOwner(path));
    try {
      await chmod(lockFile, 0o600);
      await giveTo(account, lockFile);
      const before = await readOwner(path);
      if (before?.socketDirectory) await removeSocketDirectory(before.socketDirectory);
      const socketDirectory = await makeSocketDirectory(path);
      await giveTo(account, socketDirectory);
      const directory = new ServerDirectory(path, account, socketDirectory, lock);
      await directory.recordServer(undefined);
      return directory;
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  /** Records the pid of the running server, for the message that the directory is in use. */
  async recordServer(serverPid: number | undefined): Promise<void> {
    const record = { pid: process.pid, socketDirectory: this.socketDirectory, ...(serverPid && { serverPid }) };
    await giveTo(this.account, await writeOwner(this.path, record));
  }

  /** To be called when no server runs any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await removeSocketDirectory(this.socketDirectory);
      await removeOwner(this.path);
    } finally {
      this.#lock[Symbol.dispose]();
    }
  }
}

/** Gives a file that root made to the server's user. Does nothing when they are the same user. */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (!account.dropped) return;
  await lchown(path, account.uid, account.gid).catch((cause: unknown) => {
    if (codeOf(cause) !== 'EINVAL') throw cause;
    throw new DbError(
      'directory-unusable',
      `PostgreSQL does not run as root, and this root is alone in its user namespace: it has no user with id ${account.uid}. Start Seaplane as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  });
}

/** Turns what the file system says about a directory into words; leaves other errors as they are. */
export function explainSystemError(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(path, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return new DbError(
        'directory-unusable',
        `Cannot use ${path} for the database: ${(error as Error).message}. It must be a directory that the user with id ${process.getuid?.()} can write to.`,
        { cause: error },
      );
    default:
      return error;
  }
}

async function makeDirectory(path: string): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const mode = isRoot ? 0o755 : 0o700;
  const firstMade = await mkdir(path, { recursive: true, mode });
  // Root's umask may be narrower, and then the server's user could not reach its files.
  if (isRoot && firstMade) {
    for (let made = path; made.length >= firstMade.length; made = dirname(made)) await chmod(made, mode);
  }
  return realpath(path);
}

async function accountFor(path: string): Promise<Account> {
  const directoryOwner = await stat(path);
  const dataOwner = await stat(join(path, 'data')).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { uid, gid } = directoryOwner;
  const data = dataOwner && { uid: dataOwner.uid, gid: dataOwner.gid };
  return chooseAccount({ self, path, dataOwner: data, directoryOwner: { uid, gid }, passwd: await readPasswd() });
}

/**
 * Opens our own directory for passing through, and throws when one above it, which is not ours to change, is closed.
 */
async function letIn(account: Account, path: string): Promise<void> {
  const own = await stat(path);
  if (!mayEnter(account, own)) await chmod(path, (own.mode & 0o7777) | 0o011);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    if (!mayEnter(account, await stat(parent))) {
      throw new DbError(
        'directory-unusable',
        `PostgreSQL does not run as root; it would run as the user with id ${account.uid}, who cannot reach ${path} because ${parent} is closed to others. Use a directory elsewhere, such as one in /var/lib.`,
      );
    }
    if (parent === dirname(parent)) return;
  }
}

function mayEnter(account: Account, found: { uid: number; gid: number; mode: number }): boolean {
  if (found.uid === account.uid) return (found.mode & 0o100) !== 0;
  if (found.gid === account.gid) return (found.mode & 0o010) !== 0;
  return (found.mode & 0o001) !== 0;
}

function inUse(path: string, owner: OwnerRecord | undefined): DbError {
  const who = owner && isAlive(owner.pid) ? `process ${owner.pid}` : 'another process';
  const server = owner?.serverPid ? ` (its PostgreSQL is process ${owner.serverPid})` : '';
  return new DbError(
    'directory-in-use',
    `The database directory ${path} is in use by ${who}${server}. Stop that one first, or use another directory.`,
  );
}
