import { chmod, mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** With no TCP the number is only part of the socket's name. */
export const SOCKET_PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`;
const TEMPORARY_PREFIX = 'seaplane-';

/** The longest path of a socket in bytes, without the final zero. */
const LONGEST_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;

/**
 * Makes the directory of the server's socket, open to its owner alone: who can enter it can use the database.
 * It is `run` in the server's directory, or a new one for temporary files where that path is too long for a socket.
 */
export async function makeSocketDirectory(serverDirectory: string): Promise<string> {
  const own = join(serverDirectory, 'run');
  if (fits(own)) {
    await mkdir(own, { recursive: true, mode: 0o700 });
    await chmod(own, 0o700);
    return own;
  }
  const base = fits(join(tmpdir(), `${TEMPORARY_PREFIX}XXXXXX`)) ? tmpdir() : '/tmp';
  return mkdtemp(join(base, TEMPORARY_PREFIX)); // it makes them with mode 700
}

/**
 * Removes a temporary socket directory with what PostgreSQL leaves in it, and nothing else: the name may come from a
 * file. `run` is kept for the next start; PostgreSQL replaces its own leftovers there.
 */
export async function removeSocketDirectory(directory: string): Promise<void> {
  if (!basename(directory).startsWith(TEMPORARY_PREFIX) || ![tmpdir(), '/tmp'].includes(dirname(directory))) return;
  await rm(join(directory, SOCKET_NAME), { force: true });
  await rm(join(directory, `${SOCKET_NAME}.lock`), { force: true });
  await rmdir(directory).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTEMPTY') throw error;
  });
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, SOCKET_NAME)) <= LONGEST_SOCKET_PATH;
}
