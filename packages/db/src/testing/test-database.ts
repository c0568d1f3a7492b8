import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import type { EmbeddedConnection } from '../embedded/embedded-postgres.ts';
import { makePool } from '../make-pool.ts';
import { Vault } from '../secrets/vault.ts';
import { type TestServer, withClient } from './test-server.ts';

/** A database of a test's own, with the current schema. Disposing of it drops it, whoever is still connected. */
export interface TestDatabase extends AsyncDisposable {
  readonly connection: EmbeddedConnection;
  readonly pool: pg.Pool;
}

export interface TestDatabaseOptions {
  /** Without the schema. */
  readonly empty?: boolean;
}

/** Tests encrypt, so that a statement that looks into what may be encrypted does not pass them. */
const TEST_VAULT = new Vault({ current: 'the key of tests' });

/** Clones the template. Needs `src/testing/global-setup.ts` in the vitest project's `globalSetup`. */
export async function createTestDatabase({ empty = false }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = inject('testServer') as TestServer | undefined;
  if (!server)
    throw new Error("no test server: add packages/db/src/testing/global-setup.ts to this project's globalSetup");
  const database = `test_${randomBytes(8).toString('hex')}`;
  const template = empty ? 'template0' : server.template;
  // Without fsync, copying files takes 0.4 of the time of writing the template's pages to the log.
  const create = `CREATE DATABASE ${database} TEMPLATE ${template} STRATEGY FILE_COPY`;
  await withClient(server.connection, (admin) => admin.query(create));
  const connection = { ...server.connection, database };
  const pool = makePool({ ...connection, max: 10 }, 'wait', TEST_VAULT);
  return {
    connection,
    pool,
    async [Symbol.asyncDispose]() {
      await withClient(server.connection, (admin) => admin.query(`DROP DATABASE ${database} WITH (FORCE)`));
      void pool.end(); // not awaited: it would wait for a connection that the test never gave back
    },
  };
}
