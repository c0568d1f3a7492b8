import { mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, DbError } from '../../errors.ts';
import type { Account } from '../account.ts';
import type { Installation } from '../installation/installation.ts';
import { runTool, type ToolOptions, type ToolResult } from '../server/run-tool.ts';
import { diskFull, reportsFullDisk, requireSpace } from './free-space.ts';
import { giveTo } from './server-directory.ts';

/** The superuser and the database that every data directory of ours has. */
export const DATABASE_USER = 'seaplane';
export const DATABASE_NAME = 'seaplane';

export interface DataRequest {
  readonly data: string;
  readonly account: Account;
  readonly installation: Installation;
  readonly onInitialize: () => void;
  /** False when the server runs without fsync: then this need not be safe on disk either. */
  readonly sync: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the data directory if there is none, else checks that this PostgreSQL can serve it. It is made under another
 * name and renamed when it is complete and on disk, so an interrupted start leaves nothing that looks like a database.
 * The other name is new each time: if the last owner was killed, its initdb may still be writing.
 */
export async function ensureData(request: DataRequest): Promise<void> {
  if (await isThere(request.data)) {
    await checkVersion(request);
    return requireSpace(request.data, LEAST_BYTES);
  }
  await removeUnfinished(request.data);
  await requireSpace(dirname(request.data), NEW_DATABASE_BYTES);
  request.onInitialize();
  const partial = await mkdtemp(`${request.data}${UNFINISHED}`); // it makes them with mode 700
  try {
    await giveTo(request.account, partial);
    await initialize(partial, request);
    await rename(partial, request.data);
    await syncDirectory(dirname(request.data));
  } catch (error) {
    await remove(partial);
    throw error;
  }
}

const UNFINISHED = '.new-';
/** With its tables and a segment of its log in reserve. */
const NEW_DATABASE_BYTES = 80e6;
/** PostgreSQL makes segments of its log, 16 MB each, before it needs them. */
const LEAST_BYTES = 20e6;

async function removeUnfinished(data: string): Promise<void> {
  const names = await readdir(dirname(data));
  for (const name of names.filter((found) => found.startsWith(`${basename(data)}${UNFINISHED}`))) {
    await remove(join(dirname(data), name)).catch(() => {}); // in use still; the next start tries again
  }
}

/** Tries more than once: a program that was told to end may still add a file. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

async function checkVersion({ data, installation }: DataRequest): Promise<void> {
  const text = await readFile(join(data, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) {
    throw new DbError(
      'directory-unusable',
      `${data} is not a PostgreSQL data directory (it has no PG_VERSION). Move it away, or use another directory.`,
    );
  }
  const version = text.trim();
  if (version === installation.majorVersion) return;
  throw new DbError(
    'other-major-version',
    `${data} was made by PostgreSQL ${version} and this Seaplane brings PostgreSQL ${installation.majorVersion}, which cannot read it. Carry the data over with pg_dumpall of version ${version}, or start on a new directory.`,
  );
}

async function initialize(data: string, request: DataRequest): Promise<void> {
  const { installation, account, signal } = request;
  const options = { account, env: installation.env, signal };
  const args = [
    '--pgdata',
    data,
    '--locale=C',
    '--encoding=UTF8',
    '--auth-local=trust', // the directory of the socket is the lock on the door
    '--auth-host=reject',
    '--username',
    DATABASE_USER,
    '--no-instructions',
    ...(request.sync ? [] : ['--no-sync']),
  ];
  const made = await runWithName(installation.initdb, args, options);
  if (made.code !== 0) throw explain(data, made);

  const single = ['--single', '-D', data, '-c', 'log_checkpoints=off', 'postgres'];
  const input = `CREATE DATABASE ${DATABASE_NAME}\n`;
  const created = await runWithName(installation.postgres, single, { ...options, input });
  // Its exit status is 0 even if the statement fails.
  if (created.code !== 0 || reportsFailure(created.output)) throw explain(data, created);
}

/** Whether PostgreSQL's log has an error. Its lines begin with a time and, in a terminal session, a prompt. */
export function reportsFailure(log: string): boolean {
  return /^(backend> )?\d{4}-.*\] (ERROR|FATAL|PANIC): /m.test(log);
}

/**
 * These programs want to know the name of the user they run as, and in a container that user may have none. In a user
 * namespace it can have that of `nobody`.
 */
async function runWithName(file: string, args: readonly string[], options: ToolOptions): Promise<ToolResult> {
  const result = await runTool(file, args, options);
  if (!/could not look up effective user ID/.test(result.output)) return result;
  const asNobody = ['--user', '--map-user=65534', '--map-group=65534', '--', file, ...args];
  const retried = await runTool('unshare', asNobody, options);
  if (retried.error || /^unshare:|could not look up effective user ID/m.test(retried.output)) {
    throw withoutName(options.account);
  }
  return retried;
}

function withoutName({ uid }: Account): DbError {
  return new DbError(
    'directory-unusable',
    `The user with id ${uid} has no account on this system, and PostgreSQL cannot set up a new database for a user without a name. Start Seaplane as a user that is in /etc/passwd, or set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

function explain(data: string, result: ToolResult): DbError {
  const said = result.output.trim().split('\n').slice(-12).join('\n') || result.error?.message || 'nothing';
  if (reportsFullDisk(said)) return diskFull(data, new Error(said));
  const how = result.signal ? `ended by ${result.signal}` : `exit status ${result.code}`;
  return new DbError('server-failed', `PostgreSQL could not set up a database in ${data} (${how}). It said:\n${said}`);
}

/** A rename is on disk only when the directory it happened in is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
