import { expect, test } from 'vitest';
import { sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { deleteUnusedConfigs } from './collect-builds.ts';

const DAY_MS = 86_400_000;

test('[DB-CHK12] histories of images and configurations that nobody has used for a while are deleted', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const { resources } = await saveSample(pool, { name: 'p' }, { resources: [sampleResource('r')] });
  const configs = ['of a resource', 'of a used image', 'of a recent image', 'of an old image', 'recent', 'old'];
  const ids = new Map<string, number>();
  for (const name of configs) {
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO resource_config (parent, source_digest, created_at)
       VALUES ('base:mock', $1, now() - make_interval(days => $2)) RETURNING id`,
      [name, name === 'recent' ? 0 : 2],
    );
    ids.set(name, rows[0]?.id ?? 0);
  }
  const scope = async (name: string, resourceId: number | null, days: number) => {
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO resource_scope (resource_config_id, resource_id, last_check_ended_at)
       VALUES ($1, $2, now() - make_interval(days => $3)) RETURNING id`,
      [ids.get(name), resourceId, days],
    );
    return rows[0]?.id;
  };
  await scope('of a resource', resources['r'] ?? 0, 2);
  await pool.query('UPDATE resource SET scope_id = $1', [await scope('of a used image', null, 2)]);
  await scope('of a recent image', null, 0);
  await scope('of an old image', null, 2);
  await deleteUnusedConfigs(pool, DAY_MS);
  const { rows } = await pool.query<{ name: string; has: boolean }>(
    `SELECT source_digest AS name, EXISTS (SELECT FROM resource_scope WHERE resource_config_id = config.id) AS has
     FROM resource_config config ORDER BY id`,
  );
  expect(rows).toEqual([
    { name: 'of a resource', has: true },
    { name: 'of a used image', has: true },
    { name: 'of a recent image', has: true },
    { name: 'recent', has: false },
  ]);
});
