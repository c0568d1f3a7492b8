import { createTestDatabase, sampleJob, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dueResources, millisecondsToNextCheck } from './due-checks.ts';
import { saveVersions } from './testing/save-versions.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database[Symbol.asyncDispose]());

afterEach(() => database.pool.query('DELETE FROM pipeline'));

const input = (resource: string, trigger: boolean) => ({ name: resource, resource, passed: [], trigger });
const HOUR_MS = 3_600_000;

async function makeDue(resourceId: number | undefined): Promise<void> {
  await database.pool.query(
    `UPDATE resource_scope SET next_check_at = now() - interval '1 second'
     WHERE id = (SELECT scope_id FROM resource WHERE id = $1)`,
    [resourceId],
  );
}

test('[DUE1] where nothing is checked by itself, there is no next check to wait for', async () => {
  await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  expect(await dueResources(database.pool)).toEqual([]);
  expect(await millisecondsToNextCheck(database.pool)).toBeUndefined();
});

test('[DUE2] a resource that was never checked is due, one with versions only when a job triggers on it', async () => {
  const { resources } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [sampleJob('j', { inputs: [input('watched', true), input('idle', false)] })],
      resources: ['new', 'watched', 'idle'].map((name) => sampleResource(name)),
    },
  );
  await saveVersions(database.pool, resources['watched'] ?? 0, ['1']);
  await saveVersions(database.pool, resources['idle'] ?? 0, ['1']);
  expect(await dueResources(database.pool)).toEqual([resources['new']]);
  await makeDue(resources['watched']);
  await makeDue(resources['idle']);
  expect((await dueResources(database.pool)).toSorted()).toEqual([resources['new'], resources['watched']].toSorted());
});

test('[DUE3] the next check is waited for as long as it takes', async () => {
  const { resources } = await saveSample(
    database.pool,
    { name: 'p' },
    { jobs: [sampleJob('j', { inputs: [input('r', true)] })], resources: [sampleResource('r')] },
  );
  await saveVersions(database.pool, resources['r'] ?? 0, ['1']); // checked just now, and every hour
  const wait = (await millisecondsToNextCheck(database.pool)) ?? 0;
  expect(wait).toBeGreaterThan(HOUR_MS / 2);
  expect(wait).toBeLessThanOrEqual(HOUR_MS);
});

test('[DUE4] paused pipelines and `check_every: never` are never due', async () => {
  const never = { name: 'never', type: 'mock', source: {}, check_every: 'never' };
  await saveSample(database.pool, { name: 'p' }, { resources: [sampleResource('never', { config: never })] });
  const paused = await saveSample(database.pool, { name: 'q' }, { resources: [sampleResource('r')] });
  expect(await dueResources(database.pool)).toEqual([paused.resources['r']]);
  await database.pool.query('UPDATE pipeline SET paused = true WHERE id = $1', [paused.pipelineId]);
  expect(await dueResources(database.pool)).toEqual([]);
});
