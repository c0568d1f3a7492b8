import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { startBuild } from '../builds/start-build.ts';
import { Notifications } from '../notifications/notifications.ts';
import { saveTeam } from '../teams/teams.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { recordArtifact } from './artifacts.ts';
import { recordSandbox } from './record-sandbox.ts';
import { finishLeaving, landWorker, pruneWorker, retireWorker, stallSilentWorkers } from './worker-states.ts';
import { findWorker, listWorkers, reportWorker, type WorkerReport } from './workers.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

function report(name: string, options: Partial<WorkerReport> = {}): WorkerReport {
  const plain = { name, platform: 'linux', tags: [], version: '3.0', baseTypes: [], problems: [] };
  return { ...plain, usable: true, ttlMs: 60_000, ...options };
}

/** On which a step of a job's build runs. Returns the build. */
async function busy(worker: string, interruptible: boolean): Promise<number> {
  const jobs = [sampleJob('j', { interruptible })];
  const sample = await saveSample(db.pool, { name: `p-${worker}` }, { jobs });
  const { id } = await createJobBuild(db.pool, { jobId: sample.jobs['j'] ?? 0 });
  await startBuild(db.pool, id, { plan: { id: '1', do: [] }, publicPlan: {} });
  const labels = { type: 'task', team: 'main', step: 's' } as const;
  const owner = { buildId: id, planId: '1' };
  await recordSandbox(db.pool, { handle: `h-${worker}`, worker, owner, labels, workingDirectory: '', user: '' });
  return id;
}

test('[DB-WRK1] is what its last report says, with what runs on it', async () => {
  const { team } = await saveTeam(db.pool, 'own', {});
  const base = [{ type: 'mock', image: 'x' }];
  await reportWorker(db.pool, report('one', { tags: ['a'], team: 'own', baseTypes: base, problems: ['no store'] }));
  await busy('one', false);
  await recordArtifact(db.pool, { id: 'x', worker: 'one', stored: true });
  expect(await findWorker(db.pool, 'one')).toMatchObject({
    state: 'running',
    tags: ['a'],
    teamName: 'own',
    baseTypes: base,
    problems: ['no store'],
    activeSandboxes: 1,
    activeTasks: 1,
    storedArtifacts: 1,
  });
  await reportWorker(db.pool, report('shared'));
  expect((await listWorkers(db.pool, [team.id])).map(({ name }) => name)).toEqual(['one', 'shared']);
  expect((await listWorkers(db.pool, [])).map(({ name }) => name)).toEqual(['shared']);
  expect(await findWorker(db.pool, 'none')).toBeUndefined();
});

test('[DB-WRK7] one for a team that does not exist is not everybody’s', async () => {
  await expect(reportWorker(db.pool, report('early', { team: 'future' }))).rejects.toMatchObject({ code: 'not-found' });
  expect(await findWorker(db.pool, 'early')).toBeUndefined();
  await saveTeam(db.pool, 'future', {});
  await reportWorker(db.pool, report('early', { team: 'Future' }));
  expect(await findWorker(db.pool, 'early')).toMatchObject({ teamName: 'future' });
});

test('[DB-WRK2] without a sign of life it is stalled, and runs again with the next; an ephemeral one is forgotten', async () => {
  await reportWorker(db.pool, report('quiet', { ttlMs: -1 }));
  await reportWorker(db.pool, report('ephemeral', { ttlMs: -1, ephemeral: true }));
  await reportWorker(db.pool, report('loud'));
  expect(await stallSilentWorkers(db.pool)).toEqual(['ephemeral', 'quiet']);
  expect(await findWorker(db.pool, 'quiet')).toMatchObject({ state: 'stalled' });
  expect(await findWorker(db.pool, 'loud')).toMatchObject({ state: 'running' });
  expect(await findWorker(db.pool, 'ephemeral')).toBeUndefined();
  expect(await reportWorker(db.pool, report('quiet'))).toBe('running');
});

test('[DB-WRK8] one that is not usable says why, and stalls as if it had said nothing', async () => {
  const broken = { usable: false, problems: ['no kubeconfig'] };
  expect(await reportWorker(db.pool, report('broken', broken))).toBe('stalled');
  expect(await findWorker(db.pool, 'broken')).toMatchObject({ state: 'stalled', problems: ['no kubeconfig'] });
  expect(await reportWorker(db.pool, report('broken'))).toBe('running');
  expect(await reportWorker(db.pool, report('broken', broken))).toBe('running'); // for as long as its last sign of life counts
  await reportWorker(db.pool, report('broken', { ttlMs: -1 }));
  await reportWorker(db.pool, report('broken', broken));
  expect(await stallSilentWorkers(db.pool)).toContain('broken');
});

test('[DB-WRK3] landing waits for builds that may not be interrupted; a landed worker runs again when it registers', async () => {
  await reportWorker(db.pool, report('land'));
  const build = await busy('land', false);
  expect(await landWorker(db.pool, 'land')).toBe(true);
  expect(await landWorker(db.pool, 'none')).toBe(false);
  expect(await reportWorker(db.pool, report('land', { registers: true }))).toBe('landing');
  expect(await finishLeaving(db.pool)).toEqual([]);
  await finishBuild(db.pool, build, 'succeeded');
  expect(await finishLeaving(db.pool)).toEqual([{ name: 'land', retired: false }]);
  expect(await reportWorker(db.pool, report('land'))).toBe('landed');
  expect(await stallSilentWorkers(db.pool)).toEqual([]);
  expect(await findWorker(db.pool, 'land')).toMatchObject({ state: 'landed' });
  expect(await reportWorker(db.pool, report('land', { registers: true }))).toBe('running');
});

test('[DB-WRK4] retiring does not wait for builds that may be interrupted; a retired worker is not listed until it registers', async () => {
  await reportWorker(db.pool, report('retire'));
  await busy('retire', true);
  await retireWorker(db.pool, 'retire');
  expect(await landWorker(db.pool, 'retire')).toBe(false);
  expect(await finishLeaving(db.pool)).toEqual([{ name: 'retire', retired: true }]);
  expect(await reportWorker(db.pool, report('retire'))).toBe('retired');
  expect(await findWorker(db.pool, 'retire')).toBeUndefined();
  expect((await listWorkers(db.pool)).map(({ name }) => name)).not.toContain('retire');
  expect(await landWorker(db.pool, 'retire')).toBe(false);
  expect(await retireWorker(db.pool, 'retire')).toBe(false);
  expect(await pruneWorker(db.pool, 'retire')).toBe('unknown');
  expect(await reportWorker(db.pool, report('retire', { registers: true }))).toBe('running');
});

test('[DB-WRK5] a worker that is not running can be pruned; a report brings a stalled worker back, but not one that was to leave', async () => {
  await reportWorker(db.pool, report('prune', { ttlMs: -1 }));
  expect(await pruneWorker(db.pool, 'prune')).toBe('running');
  await stallSilentWorkers(db.pool);
  expect(await pruneWorker(db.pool, 'prune')).toBe('done');
  expect(await pruneWorker(db.pool, 'prune')).toBe('unknown');
  expect(await reportWorker(db.pool, report('prune'))).toBe('running');
  await landWorker(db.pool, 'prune');
  expect(await pruneWorker(db.pool, 'prune')).toBe('done');
  expect(await findWorker(db.pool, 'prune')).toBeUndefined();
  expect(await reportWorker(db.pool, report('prune'))).toBe('retired');
});

test('[DB-WRK6] a change of state notifies the webs; a report without a change does not', async () => {
  await using notifications = await Notifications.open(db.pool);
  const heard: (string | undefined)[] = [];
  const last = Promise.withResolvers<void>();
  using _subscription = notifications.subscribe('workers', (payload) => {
    heard.push(payload);
    if (payload === 'last') last.resolve();
  });
  await reportWorker(db.pool, report('told'));
  await reportWorker(db.pool, report('told'));
  await landWorker(db.pool, 'told');
  await reportWorker(db.pool, report('last'));
  await last.promise;
  expect(heard).toEqual(['told', 'told', 'last']);
});
