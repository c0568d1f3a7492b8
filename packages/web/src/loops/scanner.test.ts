import { inTransaction } from '@seaplane/db';
import { createTestDatabase, sampleResource, saveSample } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { StoredPipelines } from '@seaplane/scheduler';
import { expect, test } from 'vitest';
import { scanner } from './scanner.ts';

const PATIENCE = { timeout: 10_000 };

test('[ROOM15] checks are started side by side: one that has to wait does not delay the others', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const names = Array.from({ length: 20 }, (_, n) => `r${n}`);
  const { resources } = await saveSample(pool, { name: 'p' }, { resources: names.map((name) => sampleResource(name)) });
  const onError = (error: unknown) => {
    throw error;
  };
  const { look } = scanner({ pool, clock: manualClock(), storedPipelines: new StoredPipelines(), onError });
  const checked = async () => {
    const { rows } = await pool.query<{ id: number }>('SELECT DISTINCT resource_id AS id FROM build');
    return rows.map(({ id }) => id);
  };
  const slow = resources['r0'] ?? 0;
  const looking = await inTransaction(pool, async (tx) => {
    await tx.query('SELECT FROM resource WHERE id = $1 FOR UPDATE', [slow]);
    const looked = look(new AbortController().signal, () => {});
    await expect.poll(async () => (await checked()).length, PATIENCE).toBe(names.length - 1);
    expect(await checked()).not.toContain(slow);
    return { looked };
  });
  await looking.looked;
  expect((await checked()).length).toBe(names.length);
});
