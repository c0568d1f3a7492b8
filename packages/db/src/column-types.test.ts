import { parseJson } from '@seaplane/config';
import { expect, test } from 'vitest';
import { createTestDatabase } from './testing/test-database.ts';

test('[DB-TYPE1] bigint is a number, and one that a number cannot hold is refused', async () => {
  await using db = await createTestDatabase();
  const { rows } = await db.pool.query("SELECT 42::bigint AS n, now() AS at, ARRAY['a'] AS list");
  expect(rows).toEqual([{ n: 42, at: expect.any(Date), list: ['a'] }]);
  await expect(db.pool.query('SELECT 9007199254740993::bigint AS n')).rejects.toThrow('9007199254740993');
});

test('[DB-TYPE2] integers in JSON keep their digits, in and out', async () => {
  await using db = await createTestDatabase();
  const text = '{"id":12345678901234567890,"small":1}';
  const { rows } = await db.pool.query('SELECT $1::json AS json, $1::jsonb AS jsonb', [
    JSON.stringify(parseJson(text)),
  ]);
  expect(JSON.stringify(rows[0].json)).toBe(text);
  expect(JSON.stringify(rows[0].jsonb.id)).toBe('12345678901234567890');
});
