import type { Plan, VarReference } from '@seaplane/config';
import { Credentials } from '@seaplane/credentials';
import { archivePipeline, createJournal, createOneOffBuild, ensureMainTeam, findPipeline } from '@seaplane/db';
import { createTestDatabase } from '@seaplane/db/testing';
import { type BuildInfo, walkBuild } from '@seaplane/engine';
import { manualClock, memorySeams, newWorld, TEST_BUILD } from '@seaplane/engine/testing';
import { StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { setPipeline } from '../loops/testing/test-installation.ts';
import { variablesFor } from './variables.ts';

const PIPELINE = `
var_sources:
- { name: b, type: dummy, config: { vars: { url: "https://((a:host))/" } } }
- { name: a, type: dummy, config: { vars: { host: example.com } } }
- { name: s, type: ssm, config: { region: r } }
jobs: [{ name: unit, plan: [] }]
`;
const PLAN: Plan = {
  id: '1',
  task: {
    name: 'print',
    privileged: false,
    config: { platform: 'linux', rootfs_uri: 'raw:///', params: { URL: '((b:url))' }, run: { path: 'env' } },
  },
};
const never = new AbortController().signal;

function variable(source: string, path: string): VarReference {
  return { source, path, fields: [] };
}

const NO_IDENTITY = { issuer: 'http://test', newestKey: async () => undefined };

function openCredentials(): Credentials {
  const onError = (error: unknown) => {
    throw error;
  };
  return new Credentials({ clock: manualClock(), identity: NO_IDENTITY, onError });
}

async function buildOf(pool: pg.Pool): Promise<BuildInfo> {
  await setPipeline(pool, 'p', PIPELINE);
  const { id: teamId } = await ensureMainTeam(pool, {});
  const pipeline = await findPipeline(pool, teamId, { name: 'p' });
  const { id } = await createOneOffBuild(pool, { teamId }, { plan: PLAN, publicPlan: {} });
  return { ...TEST_BUILD, id, teamId, pipelineId: pipeline?.id as number, pipelineName: 'p', jobName: 'unit' };
}

test("[VARS1] a build's steps get the variables of its pipeline's var sources, also of one that uses another", async () => {
  await using db = await createTestDatabase();
  await using credentials = openCredentials();
  const build = await buildOf(db.pool);
  const world = newWorld();
  const seams = {
    ...memorySeams(world, createJournal(db.pool, build.id), manualClock()),
    variables: variablesFor({ pool: db.pool, credentials, storedPipelines: new StoredPipelines() }, build),
  };
  expect(await walkBuild(seams, build, PLAN, { abort: never, drain: never })).toEqual({ status: 'succeeded' });
  expect(world.processes.get('1')?.request).toMatchObject({ env: { URL: 'https://example.com/' } });
});

test('[VARS2] a lookup that fails says why; those of other sources still work', async () => {
  await using db = await createTestDatabase();
  await using credentials = openCredentials();
  const variables = variablesFor(
    { pool: db.pool, credentials, storedPipelines: new StoredPipelines() },
    await buildOf(db.pool),
  );
  await expect(variables.get(variable('s', 'x'), never)).rejects.toThrow(
    'the var source s is of the type ssm, which this version of Seaplane does not know',
  );
  await expect(variables.get(variable('none', 'x'), never)).rejects.toThrow("missing source 'none'");
  expect(await variables.get(variable('a', 'host'), never)).toBe('example.com');
});

test('[VARS2] var sources that could not be read are read again by the next lookup', async () => {
  await using db = await createTestDatabase();
  await using credentials = openCredentials();
  const build = await buildOf(db.pool);
  await archivePipeline(db.pool, build.pipelineId as number, 'somebody');
  const variables = variablesFor({ pool: db.pool, credentials, storedPipelines: new StoredPipelines() }, build);
  await expect(variables.get(variable('a', 'host'), never)).rejects.toThrow('it is archived or was destroyed');
  await setPipeline(db.pool, 'p', PIPELINE);
  expect(await variables.get(variable('a', 'host'), never)).toBe('example.com');
});
