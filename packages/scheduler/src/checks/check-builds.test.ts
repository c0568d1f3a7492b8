import { parseYaml, readPipeline } from '@seaplane/config';
import { configToSave, ensureMainTeam, savePipeline } from '@seaplane/db';
import { createTestDatabase } from '@seaplane/db/testing';
import { expect, test } from 'vitest';
import { planJobBuild } from '../builds/plan-build.ts';
import { StoredPipelines } from '../stored-pipelines.ts';
import { checkResource, checkResourceType } from './check-builds.ts';

const CONFIG = `
resource_types: [{name: custom, type: registry-image, source: {repository: x}}]
resources: [{name: repo, type: git, source: {uri: here}}]
jobs: [{name: unit, plan: [{get: repo}]}]`;

test('[SCHED16] plans have the defaults that an operator set for base types', async () => {
  await using database = await createTestDatabase();
  const { pool: db } = database;
  const { id: teamId } = await ensureMainTeam(db, {});
  const parsed = readPipeline(parseYaml(CONFIG));
  if (!parsed.ok) throw new Error(parsed.errors.join());
  const pipeline = configToSave(parsed.config);
  await savePipeline(db, { teamId, ref: { name: 'p' }, pipeline, fromVersion: 0 });
  const idOf = async (table: string) =>
    (await db.query(`SELECT id, pipeline_id AS "pipelineId" FROM ${table}`)).rows[0];
  const baseTypeDefaults = { git: { proxy: 'p', uri: 'z' }, 'registry-image': { mirror: 'm' } };
  const context = { db, storedPipelines: new StoredPipelines(), baseTypeDefaults };
  const asked = { manuallyTriggered: true };

  const plans = async () =>
    (await db.query("SELECT private_plan->'check'->'source' AS source FROM build ORDER BY id")).rows;
  await checkResource(context, (await idOf('resource')).id, asked);
  await checkResourceType(context, (await idOf('resource_type')).id, asked);
  expect(await plans()).toEqual([
    { source: { proxy: 'p', uri: 'here' } },
    { source: { mirror: 'm', repository: 'x' } },
  ]);
  const { pipelineId } = await idOf('job');
  const { plan } = await planJobBuild(context, { pipelineId, name: 'unit' }, asked, [
    { name: 'repo', version: { ref: '1' } } as never,
  ]);
  expect(JSON.stringify(plan)).toContain('"source":{"proxy":"p","uri":"here"}');
});
