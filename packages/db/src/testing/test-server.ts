import type { ClientBase } from 'pg';
import pg from 'pg';
import type { EmbeddedConnection } from '../embedded/embedded-postgres.ts';
import { migrate } from '../migrate.ts';
import { readMigrations } from '../migration-files.ts';

/**
 * The server that a test run shares, with a database to clone. Plain data, because it is sent to the test processes.
 */
export interface TestServer {
  readonly connection: EmbeddedConnection;
  readonly template: string;
}

/** For tests, data that survives the death of the server is enough; it need not survive the machine's. */
export const FAST_SETTINGS = { fsync: 'off' };

const TEMPLATE = 'seaplane_template';

/** Makes the database that every test database is a copy of: the current schema, and nothing else. */
export async function makeTemplate(connection: EmbeddedConnection): Promise<TestServer> {
  await withClient(connection, (admin) => admin.query(`CREATE DATABASE ${TEMPLATE}`));
  await withClient({ ...connection, database: TEMPLATE }, prepareTemplate);
  await withClient(connection, (admin) =>
    admin.query(`ALTER DATABASE ${TEMPLATE} IS_TEMPLATE true ALLOW_CONNECTIONS false`),
  );
  return { connection, template: TEMPLATE };
}

/** The name of the database that every test database is cloned from. */
async function prepareTemplate(client: ClientBase): Promise<void> {
  await migrate(client, await readMigrations());
}

export async function withClient<T>(
  connection: pg.ClientConfig,
  action: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}
