import type { SandboxRow } from '@seaplane/orchestrator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { createCheckBuild, createOneOffBuild } from '../builds/create-started-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { destroyPipeline } from '../pipelines/change-pipeline.ts';
import { renameTeam, saveTeam } from '../teams/teams.ts';
import { markSandboxCreated } from '../testing/mark-sandbox-created.ts';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { recordArtifact } from './artifacts.ts';
import { saveResourceCache } from './caches.ts';
import {
  claimUnwantedSandboxes,
  forgetMissingSandboxes,
  forgetSandbox,
  GRACE_PERIODS,
  type GracePeriods,
  isToBeDestroyed,
  markUninterceptible,
  reconcileSandboxes,
} from './collect-sandboxes.ts';
import { markSandboxFailed, recordHijack, recordSandbox, recordSandboxUse } from './record-sandbox.ts';
import { findSandbox, listSandboxes } from './sandbox.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

let count = 0;
const planned = { plan: { id: '1', do: [] }, publicPlan: {} };

async function newPipeline(instanceVars?: { readonly n: number }): Promise<SavedSample & { name: string }> {
  const name = `p${count++}`;
  const parts = { jobs: [sampleJob('j')], resources: [sampleResource('r')] };
  const sample = await saveSample(db.pool, instanceVars ? { name, instanceVars } : { name }, parts);
  return { ...sample, name };
}

async function jobBuild(sample: SavedSample): Promise<number> {
  return (await createJobBuild(db.pool, { jobId: sample.jobs['j'] ?? 0 })).id;
}

async function sandbox(buildId: number | undefined, options: Partial<SandboxRow> = {}, worker = 'w') {
  const handle = `h${count++}`;
  const labels = { type: 'task', team: 'main', step: 'unit' } as const;
  const row: SandboxRow = { handle, worker, labels, workingDirectory: '/tmp/build/x', user: 'root', ...options };
  await recordSandbox(db.pool, buildId === undefined ? row : { ...row, owner: { buildId, planId: '1' } });
  await markSandboxCreated(db.pool, handle, row.user);
  return handle;
}

async function collect(worker: string, changes: Partial<GracePeriods> = {}): Promise<string[]> {
  const grace = { ...GRACE_PERIODS, ...changes };
  await markUninterceptible(db.pool, grace);
  return claimUnwantedSandboxes(db.pool, worker, grace);
}

test('[DB-SBX1] is recorded before it is made; recorded again it is the first that holds', async () => {
  const { teamId } = await newPipeline();
  const { id } = await createOneOffBuild(db.pool, { teamId }, planned);
  const row: SandboxRow = {
    handle: 'one',
    worker: 'w1',
    owner: { buildId: id, planId: 'p' },
    labels: { type: 'task', team: 'main', step: 'unit', attempt: '2.1' },
    workingDirectory: '/tmp/build/1',
    user: 'bob',
  };
  expect(await recordSandbox(db.pool, row)).toEqual(row);
  expect(await findSandbox(db.pool, 'one')).toMatchObject({
    state: 'creating',
    attempt: '2.1',
    user: 'bob',
    planId: 'p',
  });
  expect(await recordSandbox(db.pool, { ...row, worker: 'w2', user: 'eve' })).toEqual(row);
  await markSandboxFailed(db.pool, 'one', 'image not found');
  expect(await findSandbox(db.pool, 'one')).toMatchObject({ state: 'failed', reason: 'image not found' });
  await markSandboxCreated(db.pool, 'one', 'image-user');
  const created = { state: 'created', workerName: 'w1', buildId: id, user: 'image-user' };
  expect(await findSandbox(db.pool, 'one')).toMatchObject(created);
  expect(await findSandbox(db.pool, 'none')).toBeUndefined();
});

test('[DB-SBX1] a sandbox belongs to the team of its build, even if the team was renamed meanwhile', async () => {
  const { team } = await saveTeam(db.pool, 'crew', {});
  const { id } = await createOneOffBuild(db.pool, { teamId: team.id }, planned);
  await renameTeam(db.pool, 'crew', 'squad');
  const labels = { type: 'task', team: 'crew', step: 'unit' } as const;
  const handle = await sandbox(id, { labels });
  const checks = await sandbox(undefined, { labels: { ...labels, type: 'check', buildId: id } });
  const found = await listSandboxes(db.pool, team.id);
  expect(found.map((each) => each.handle).sort()).toEqual([handle, checks].sort());
});

test('[DB-SBX2] a team’s are found by what fly asks with', async () => {
  const [one, two] = [await newPipeline(), await newPipeline({ n: 1 })];
  const [a, b] = [await jobBuild(one), await jobBuild(two)];
  const first = await sandbox(a);
  const second = await sandbox(b, { labels: { type: 'get', team: 'main', step: 'src', attempt: '2' } });
  const list = async (filter: Parameters<typeof listSandboxes>[2]) =>
    (await listSandboxes(db.pool, one.teamId, filter)).map(({ handle }) => handle);
  expect(await list({ pipelineName: one.name, jobName: 'j', buildName: '1' })).toEqual([first]);
  expect(await list({ pipelineName: two.name })).toEqual([second]);
  expect(await list({ pipelineName: two.name, instanceVars: { n: 1 } })).toEqual([second]);
  expect(await list({ pipelineName: two.name, instanceVars: null })).toEqual([]);
  expect(await list({ buildId: b, stepName: 'src', type: 'get', attempt: '2' })).toEqual([second]);
  expect(await list({ buildId: b, stepName: 'unit' })).toEqual([]);
  expect(await list({ pipelineId: one.pipelineId, jobId: one.jobs['j'] ?? 0 })).toEqual([first]);
  expect(await list({})).toEqual(expect.arrayContaining([first, second]));
  expect(await listSandboxes(db.pool, 999)).toEqual([]);
});

test('[DB-SBX3] a shared one is found by what was checked in it', async () => {
  const sample = await newPipeline();
  const of = { resourceId: sample.resources['r'] ?? 0 };
  const check = await createCheckBuild(db.pool, of, { ...planned, manuallyTriggered: true });
  const labels = { type: 'check', team: 'main', step: 'r', buildId: check?.id ?? 0 } as const;
  const handle = await sandbox(undefined, { labels });
  const list = async (resourceName: string) =>
    listSandboxes(db.pool, sample.teamId, {
      type: 'check',
      resourceName,
      pipelineName: sample.name,
      instanceVars: null,
    });
  expect(await list('r')).toMatchObject([{ handle, shared: true }]);
  expect(await list('other')).toEqual([]);
});

describe('[DB-SBX4] is kept while people may look into its build', () => {
  test('while the build runs; then if it is the latest of its job and did not succeed', async () => {
    const sample = await newPipeline();
    const [a, b, c] = [await jobBuild(sample), await jobBuild(sample), await jobBuild(sample)];
    const [inA, inB, inC] = [await sandbox(a, {}, 'w4'), await sandbox(b, {}, 'w4'), await sandbox(c, {}, 'w4')];
    expect(await collect('w4')).toEqual([]);
    await finishBuild(db.pool, a, 'failed');
    expect(await collect('w4')).toEqual([]);
    await finishBuild(db.pool, b, 'errored');
    expect(await collect('w4')).toEqual([inA]);
    await finishBuild(db.pool, c, 'succeeded');
    expect(await collect('w4')).toEqual([inA, inB, inC].sort());
    expect(await findSandbox(db.pool, inB)).toMatchObject({ state: 'destroying' });
  });
  test('a failed one only for its grace period, if there is one', async () => {
    const sample = await newPipeline();
    const id = await jobBuild(sample);
    const handle = await sandbox(id, {}, 'w5');
    await finishBuild(db.pool, id, 'failed');
    await db.pool.query("UPDATE build SET ended_at = now() - interval '1 hour' WHERE id = $1", [id]);
    expect(await collect('w5', { failedMs: 0 })).toEqual([]);
    expect(await collect('w5', { failedMs: 2 * 3_600_000 })).toEqual([]);
    expect(await collect('w5', { failedMs: 60_000 })).toEqual([handle]);
  });
  test('of a one-off build for some minutes', async () => {
    const { teamId } = await newPipeline();
    const { id } = await createOneOffBuild(db.pool, { teamId }, planned);
    const handle = await sandbox(id, {}, 'w6');
    await finishBuild(db.pool, id, 'succeeded');
    expect(await collect('w6')).toEqual([]);
    await db.pool.query("UPDATE build SET ended_at = now() - interval '6 minutes' WHERE id = $1", [id]);
    expect(await collect('w6')).toEqual([handle]);
  });
  test('and while somebody is in it, or was until just now', async () => {
    const sample = await newPipeline();
    const id = await jobBuild(sample);
    const handle = await sandbox(id, {}, 'w7');
    await recordHijack(db.pool, handle);
    await finishBuild(db.pool, id, 'succeeded');
    expect(await collect('w7')).toEqual([]);
    await db.pool.query("UPDATE sandbox SET last_hijacked_at = now() - interval '6 minutes' WHERE handle = $1", [
      handle,
    ]);
    expect(await collect('w7')).toEqual([handle]);
  });
  test('but not when its build is gone', async () => {
    const sample = await newPipeline();
    const handle = await sandbox(await jobBuild(sample), {}, 'w8');
    await destroyPipeline(db.pool, sample.pipelineId);
    expect(await collect('w8')).toEqual([handle]);
  });
});

test('[DB-SBX5] a shared one is kept while it is used; wanted again, it is not destroyed', async () => {
  const handle = await sandbox(undefined, { labels: { type: 'check', team: 'main', step: 'r' } }, 'w9');
  const idle = () =>
    db.pool.query("UPDATE sandbox SET last_used_at = now() - interval '6 minutes' WHERE handle = $1", [handle]);
  await idle();
  await recordSandboxUse(db.pool, handle);
  expect(await collect('w9')).toEqual([]);
  await idle();
  expect(await collect('w9')).toEqual([handle]);
  const row = {
    handle,
    worker: 'w9',
    labels: { type: 'check', team: 'main', step: 'r' },
    workingDirectory: '',
    user: '',
  } as const;
  expect(await isToBeDestroyed(db.pool, handle)).toBe(true);
  await recordSandbox(db.pool, row);
  expect(await isToBeDestroyed(db.pool, handle)).toBe(false);
  await forgetSandbox(db.pool, handle); // by one who had claimed it before that
  expect(await collect('w9')).toEqual([]);
  expect(await findSandbox(db.pool, handle)).toMatchObject({ state: 'creating' });
});

test('[DB-SBX6] waits a while for artifacts that are wanted to be copied out of it', async () => {
  const sample = await newPipeline();
  const id = await jobBuild(sample);
  const handle = await sandbox(id, {}, 'w10');
  await recordArtifact(db.pool, { id: 'a10', worker: 'w10', sandbox: { handle, path: '/x' }, stored: false });
  await saveResourceCache(
    db.pool,
    { cacheId: 'c10', artifactId: 'a10', version: { v: '1' }, metadata: [] },
    { type: 't', source: {} },
  );
  await finishBuild(db.pool, id, 'succeeded');
  expect(await collect('w10')).toEqual([]);
  await recordArtifact(db.pool, { id: 'a10', worker: 'w10', sandbox: { handle, path: '/x' }, stored: true });
  expect(await collect('w10')).toEqual([handle]);
});

test('[DB-SBX7] unknown sandboxes of a worker are returned; sandboxes it should have and does not are forgotten after a while', async () => {
  const { teamId } = await newPipeline();
  const { id } = await createOneOffBuild(db.pool, { teamId }, planned);
  const [here, lost] = [await sandbox(id, {}, 'w11'), await sandbox(id, {}, 'w11')];
  const creating = { handle: 'not yet', worker: 'w11', labels: { type: 'task', team: 'main', step: 'x' } } as const;
  await recordSandbox(db.pool, { ...creating, workingDirectory: '', user: '', owner: { buildId: id, planId: '2' } });
  expect(await reconcileSandboxes(db.pool, 'w11', [here, 'foreign'])).toEqual(['foreign']);
  expect(await forgetMissingSandboxes(db.pool, 60_000)).toEqual([]);
  await reconcileSandboxes(db.pool, 'w11', [here, lost]); // back again
  expect(await forgetMissingSandboxes(db.pool, 0)).toEqual([]);
  await reconcileSandboxes(db.pool, 'w11', [here]);
  expect(await forgetMissingSandboxes(db.pool, 0)).toEqual([]); // the build runs
  await finishBuild(db.pool, id, 'failed');
  expect(await forgetMissingSandboxes(db.pool, 0)).toEqual([lost]);
  expect(await findSandbox(db.pool, lost)).toBeUndefined();
  expect(await findSandbox(db.pool, 'not yet')).toBeDefined();
  await db.pool.query("UPDATE sandbox SET state = 'destroying' WHERE handle = $1", [here]);
  await forgetSandbox(db.pool, here);
  expect(await findSandbox(db.pool, here)).toBeUndefined();
});
