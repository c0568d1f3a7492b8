import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import {
  addIdentityKey,
  deleteReplacedIdentityKeys,
  findNewestIdentityKey,
  type IdentityAlgorithm,
  isIdentityKeyFresh,
  listPublicIdentityKeys,
} from './identity-keys.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

async function add(id: string, algorithm: IdentityAlgorithm, hoursAgo: number): Promise<void> {
  await addIdentityKey(database.pool, { id, algorithm, publicJwk: { kid: id }, privateJwk: { kid: id, d: 'private' } });
  const age =
    'UPDATE identity_key SET created_at = clock_timestamp() - make_interval(secs => $2::float8 * 3600) WHERE id = $1';
  await database.pool.query(age, [id, hoursAgo]);
}

test('[DB-KEY1] the newest key of an algorithm signs; the public halves of all are listed, and nothing private', async () => {
  const { pool } = database;
  expect(await findNewestIdentityKey(pool, 'RS256')).toBeUndefined();
  await add('new', 'RS256', 1);
  await add('old', 'RS256', 2);
  await add('other', 'ES256', 0.5);
  expect(await findNewestIdentityKey(pool, 'RS256')).toEqual({ id: 'new', privateJwk: { kid: 'new', d: 'private' } });
  expect(await listPublicIdentityKeys(pool)).toEqual([{ kid: 'old' }, { kid: 'new' }, { kid: 'other' }]);
});

test('[DB-KEY2] a key is fresh until its age, and always if keys are never replaced', async () => {
  const { pool } = database;
  expect(await isIdentityKeyFresh(pool, 'RS256', 0)).toBe(false);
  await add('a', 'RS256', 2);
  expect(await isIdentityKeyFresh(pool, 'RS256', 3 * HOUR_MS)).toBe(true);
  expect(await isIdentityKeyFresh(pool, 'RS256', HOUR_MS)).toBe(false);
  expect(await isIdentityKeyFresh(pool, 'RS256', 0)).toBe(true);
  expect(await isIdentityKeyFresh(pool, 'ES256', 3 * HOUR_MS)).toBe(false);
});

test('[DB-KEY3] a key is deleted when another has replaced it for the grace period', async () => {
  const { pool } = database;
  await add('first', 'RS256', 9);
  await add('second', 'RS256', 6);
  await add('third', 'RS256', 3);
  await add('alone', 'ES256', 9);
  expect(await deleteReplacedIdentityKeys(pool, 7 * HOUR_MS)).toEqual([]);
  expect(await deleteReplacedIdentityKeys(pool, 5 * HOUR_MS)).toEqual(['first']);
  expect(await deleteReplacedIdentityKeys(pool, 0)).toEqual(['second']);
  expect(await deleteReplacedIdentityKeys(pool, 0)).toEqual([]);
});
