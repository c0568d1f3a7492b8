import pg from 'pg';
import { type ConnectionTarget, explainConnectionError } from './connection-error.ts';
import { explainLostConnection } from './connection-lost.ts';
import { Database, type DatabaseKind } from './database.ts';
import type { OnEmbeddedEvent } from './embedded/embedded-event.ts';
import { EmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { DbError } from './errors.ts';
import { readInstance } from './instance.ts';
import { makePlainPool, makePool } from './make-pool.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './migration-files.ts';
import { reseal } from './secrets/reseal.ts';
import { type EncryptionKeys, Vault } from './secrets/vault.ts';
import { type ServerWait, waitForServer } from './wait-for-server.ts';

export type DatabaseConfig =
  | { readonly kind: 'embedded'; readonly directory: string }
  /** `url` as in DATABASE_URL: `postgresql://user:password@host:5432/database`. */
  | { readonly kind: 'external'; readonly url: string };

export interface OpenOptions {
  readonly onEvent?: OnEmbeddedEvent;
  readonly signal?: AbortSignal | undefined;
  readonly connectTimeoutMs?: number;
  readonly healthTimeoutMs?: number;
  /** How long a statement may take before its connection counts as lost. Collection has more time. */
  readonly queryTimeoutMs?: number;
  /** Encrypt what may hold secrets. What was written with another key, or without one, is written again. */
  readonly encryption?: EncryptionKeys;
  /** For a server of the user's own. Absent: one that is away is an error at once. */
  readonly wait?: ServerWait;
}

const CONNECT_TIMEOUT_MS = 10_000;
const HEALTH_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 30_000;
const COLLECTION_TIMEOUT_MS = 600_000;
const OLDEST_SERVER = 150_000; // PostgreSQL 15

/**
 * Opens the database: starts the embedded server or connects to the user's own, checks that it can be used, and brings
 * its schema up to date. After that only `kind` tells the two apart.
 */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions = {}): Promise<Database> {
  const { signal } = options;
  if (config.kind === 'external') {
    const connection = externalConfig(config.url);
    const open = () => connect('external', connection, options);
    const { wait } = options;
    return abortable(wait ? waitForServer(wait, signal ?? new AbortController().signal, open) : open(), signal);
  }
  const embedded = await EmbeddedPostgres.start({ ...options, directory: config.directory });
  try {
    return await abortable(connect('embedded', { ...embedded.connection }, options, embedded), signal);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** Stops waiting when aborted; a database that is opened after that is closed again. */
async function abortable(opening: Promise<Database>, signal: AbortSignal | undefined): Promise<Database> {
  if (!signal) return opening;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([opening, aborted.promise]);
  } catch (error) {
    if (signal.aborted) opening.then((database) => database.close()).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function connect(
  kind: DatabaseKind,
  connection: pg.PoolConfig,
  options: OpenOptions,
  embedded?: EmbeddedPostgres,
): Promise<Database> {
  const config: pg.PoolConfig = {
    ...connection,
    application_name: 'seaplane',
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  const explain = (error: unknown) => (kind === 'external' ? explainConnectionError(error, targetOf(config)) : error);
  const version = await prepareDatabase(config, explain);
  const limited = { ...config, query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS };
  const vault = new Vault(options.encryption);
  // Three webs together stay below 100 connections, the default of PostgreSQL. Each has two more outside of its pools.
  const pools = {
    pool: makePool({ ...limited, max: 12 }, 'fail', vault),
    backgroundPool: makePool({ ...limited, max: 14 }, 'wait', vault),
    collectionPool: makePool({ ...config, query_timeout: COLLECTION_TIMEOUT_MS, max: 2 }, 'wait', vault),
    healthPool: makeHealthPool(config, options.healthTimeoutMs ?? HEALTH_TIMEOUT_MS),
  };
  try {
    await reseal(pools.collectionPool, vault);
    return new Database({ kind, ...pools, instance: await readInstance(pools.pool), version, embedded });
  } catch (error) {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
    throw error;
  }
}

/** Checks that the server can be used and migrates the database. Returns the server's version. No statement is cut short. */
async function prepareDatabase(config: pg.PoolConfig, explain: (error: unknown) => unknown): Promise<string> {
  const pool = makePlainPool({ ...config, max: 1 });
  try {
    const client = await pool.connect().catch((error: unknown) => {
      throw explain(error);
    });
    try {
      const version = await checkServer(client);
      await migrate(client, await readMigrations());
      return version;
    } finally {
      client.release();
    }
  } catch (error) {
    // Errors of the checks and migrations (no right to create tables) are explained as well.
    throw error instanceof pg.DatabaseError ? explain(error) : explainLostConnection(error);
  } finally {
    await pool.end();
  }
}

function makeHealthPool(config: pg.PoolConfig, timeoutMs: number): pg.Pool {
  return makePlainPool({ ...config, max: 1, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
}

function externalConfig(url: string): pg.PoolConfig {
  const expected = 'Expected postgresql://user:password@host:5432/database.';
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new DbError('url-invalid', `DATABASE_URL is not a PostgreSQL URL. ${expected}`);
  }
  try {
    new pg.Client({ connectionString: url });
  } catch (error) {
    // Neither the URL nor the parser's message is shown: both may hold the password.
    const hint =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? ' A certificate file that it names is missing.'
        : '';
    throw new DbError(
      'url-invalid',
      `DATABASE_URL cannot be read.${hint} ${expected} Encode special characters in the password (%40 for @).`,
    );
  }
  return { connectionString: url };
}

/** The server that `pg` will connect to, with defaults and PG* variables applied. */
function targetOf(config: pg.PoolConfig): ConnectionTarget {
  const { host, port, user, database } = new pg.Client(config);
  return { host, port, user, database };
}

/** Returns the server's version. Throws if Seaplane cannot use the server. */
async function checkServer(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ number: number; version: string; encoding: string; standby: boolean }>(`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
           current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby`);
  const server = rows[0];
  if (!server) throw new Error('a query without FROM gave no row');
  const unsuitable = (why: string) =>
    new DbError('server-unsuitable', `Seaplane cannot use this PostgreSQL server: ${why}`);
  if (server.number < OLDEST_SERVER) throw unsuitable(`it is version ${server.version}, and 15 or newer is needed.`);
  if (server.encoding !== 'UTF8')
    throw unsuitable(
      `the database's encoding is ${server.encoding}, and UTF8 is needed (CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0).`,
    );
  if (server.standby) throw unsuitable('it is a read-only standby. Name its primary in DATABASE_URL.');
  return server.version;
}
