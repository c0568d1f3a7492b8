import { archivePipeline } from '@seaplane/db';
import { createTestDatabase, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoredPipelines } from './stored-pipelines.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const save = (name: string, resources: readonly string[]) =>
  saveSample(database.pool, { name }, { resources: resources.map((each) => sampleResource(each)) });
const namesOf = ({ resources }: { readonly resources: readonly { readonly name: string }[] }) =>
  resources.map(({ name }) => name);

test('[STORED1] a version of a pipeline is parsed once; a change is seen at the next read', async () => {
  const { pool } = database;
  const pipelines = new StoredPipelines();
  const { pipelineId } = await save('p', ['a']);
  const first = await pipelines.read(pool, pipelineId);
  expect(namesOf(first)).toEqual(['a']);
  expect(await pipelines.read(pool, pipelineId)).toBe(first);
  await save('p', ['a', 'b']);
  const second = await pipelines.read(pool, pipelineId);
  expect(namesOf(second)).toEqual(['a', 'b']);
  expect(await pipelines.read(pool, pipelineId)).toBe(second);
});

test('[STORED1] an archived pipeline is not read, even if it was read before', async () => {
  const { pool } = database;
  const pipelines = new StoredPipelines();
  const { pipelineId } = await save('archived', ['a']);
  await pipelines.read(pool, pipelineId);
  await archivePipeline(pool, pipelineId, 'me');
  await expect(pipelines.read(pool, pipelineId)).rejects.toThrow('it is archived or was destroyed');
});

test('[STORED2] the pipeline that was not used for longest is dropped when the kept ones are too large', async () => {
  const { pool } = database;
  const ids = [];
  for (const name of ['one', 'two', 'six']) ids.push((await save(name, ['a'])).pipelineId);
  const [one = 0, two = 0, six = 0] = ids;
  const { rows } = await pool.query('SELECT length(config::text) AS length FROM pipeline WHERE id = $1', [one]);
  const pipelines = new StoredPipelines({ maxCharacters: 2 * rows[0].length });
  const [first, second] = [await pipelines.read(pool, one), await pipelines.read(pool, two)];
  expect(await pipelines.read(pool, one)).toBe(first);
  await pipelines.read(pool, six);
  expect(await pipelines.read(pool, one)).toBe(first);
  expect(await pipelines.read(pool, two)).not.toBe(second);
  expect(await pipelines.read(pool, two)).toEqual(second);
});
