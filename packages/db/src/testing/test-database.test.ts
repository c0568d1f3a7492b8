import { expect, test } from 'vitest';
import { createTestDatabase } from './test-database.ts';

test('[DB-TEST1] every test database has the schema, is separate, and is gone afterwards', async () => {
  await using kept = await createTestDatabase();
  let name: string;
  {
    await using other = await createTestDatabase();
    name = other.connection.database;
    await other.pool.query('CREATE TABLE mine ()');
    const { rows } = await kept.pool.query("SELECT to_regclass('mine') AS mine, to_regclass('instance') AS instance");
    expect(rows).toEqual([{ mine: null, instance: 'instance' }]);
    await other.pool.connect(); // never released: does not hinder
  }
  const { rows } = await kept.pool.query('SELECT datname FROM pg_database WHERE datname = $1', [name]);
  expect(rows).toEqual([]);
});
