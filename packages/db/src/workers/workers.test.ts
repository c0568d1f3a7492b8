import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { startBuild } from '../builds/start-build.ts';
import { Notifications } from '../notifications/notifications.ts';
import { saveTeam } from '../teams/teams.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { findArtifact, recordArtifact, recordArtifactCopy } from './artifacts.ts';
import { forgetMissingSandboxes } from './collect-sandboxes.ts';
import { recordSandbox } from './record-sandbox.ts';
import {
  deleteLandedWorker,
  finishLeaving,
  forgetBelongings,
  landWorker,
  pruneWorker,
  readmitWorker,
  readWorkerStates,
  retireWorker,
  stallSilentWorkers,
} from './worker-states.ts';
import { findWorker, listWorkers, reportWorker, type WorkerReport } from './workers.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

function report(name: string, options: Partial<WorkerReport> = {}): WorkerReport {
  const plain = { name, platform: 'linux', tags: [], version: '3.0', baseTypes: [], problems: [], entry: 'first' };
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
  await reportWorker(
    db.pool,
    report('one', { tags: ['a'], team: 'own', baseTypes: base, problems: ['no store'], way: 'direct' }),
  );
  await busy('one', false);
  await recordArtifact(db.pool, { id: 'x', worker: 'one', stored: true });
  expect(await findWorker(db.pool, 'one')).toMatchObject({
    state: 'running',
    tags: ['a'],
    teamName: 'own',
    baseTypes: base,
    problems: ['no store'],
    way: 'direct',
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

test('[DB-WRK3] landing waits for builds that may not be interrupted; a landed worker runs again when its entry has changed', async () => {
  await reportWorker(db.pool, report('land'));
  const build = await busy('land', false);
  expect(await landWorker(db.pool, 'land')).toBe(true);
  expect(await landWorker(db.pool, 'none')).toBe(false);
  expect(await reportWorker(db.pool, report('land', { entry: 'second' }))).toBe('landing');
  expect(await finishLeaving(db.pool)).toEqual([]);
  await finishBuild(db.pool, build, 'succeeded');
  expect(await finishLeaving(db.pool)).toEqual([{ name: 'land', retired: false }]);
  expect(await reportWorker(db.pool, report('land', { entry: 'second' }))).toBe('landed');
  expect(await stallSilentWorkers(db.pool)).toEqual([]);
  expect(await findWorker(db.pool, 'land')).toMatchObject({ state: 'landed' });
  expect(await reportWorker(db.pool, report('land', { entry: 'third', usable: false }))).toBe('landed');
  expect(await reportWorker(db.pool, report('land', { entry: 'third' }))).toBe('running');
});

test('[DB-WRK4] retiring does not wait for builds that may be interrupted; a retired worker is not listed until its entry has changed', async () => {
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
  expect(await reportWorker(db.pool, report('retire', { entry: 'second' }))).toBe('running');
});

test('[DB-WRK5] a worker that is not running can be pruned, and stays away', async () => {
  await reportWorker(db.pool, report('prune', { ttlMs: -1 }));
  expect(await pruneWorker(db.pool, 'prune')).toBe('running');
  await stallSilentWorkers(db.pool);
  expect(await pruneWorker(db.pool, 'prune')).toBe('done');
  expect(await pruneWorker(db.pool, 'prune')).toBe('unknown');
  expect(await reportWorker(db.pool, report('prune'))).toBe('retired');
  expect(await reportWorker(db.pool, report('prune', { entry: 'second' }))).toBe('running');
  await landWorker(db.pool, 'prune');
  expect(await pruneWorker(db.pool, 'prune')).toBe('done');
  expect(await findWorker(db.pool, 'prune')).toBeUndefined();
  expect(await reportWorker(db.pool, report('prune', { entry: 'second' }))).toBe('retired');
});

test('[DB-WRK9] a worker that has landed can be forgotten, and one that was landed can be readmitted', async () => {
  await reportWorker(db.pool, report('forget'));
  await deleteLandedWorker(db.pool, 'forget');
  await landWorker(db.pool, 'forget');
  await readmitWorker(db.pool, 'forget');
  expect(await findWorker(db.pool, 'forget')).toMatchObject({ state: 'running' });
  await landWorker(db.pool, 'forget');
  await finishLeaving(db.pool);
  expect((await readWorkerStates(db.pool)).get('forget')).toEqual({ state: 'landed', entry: 'first' });
  await deleteLandedWorker(db.pool, 'forget');
  expect((await readWorkerStates(db.pool)).get('forget')).toBeUndefined();
});

test('[DB-WRK10] what a retired worker had is forgotten, except what a running build needs', async () => {
  await reportWorker(db.pool, report('belongings'));
  const build = await busy('belongings', true);
  const sandbox = { handle: 'h-belongings', path: '/out' };
  await recordArtifact(db.pool, { id: 'of the build', worker: 'belongings', sandbox, stored: false });
  await recordArtifact(db.pool, { id: 'stored', worker: 'belongings', stored: true });
  await recordArtifact(db.pool, { id: 'elsewhere', worker: 'other', stored: true });
  await recordArtifactCopy(db.pool, 'elsewhere', 'belongings');
  await forgetBelongings(db.pool, 'belongings');
  const found = async () =>
    Promise.all(['of the build', 'stored', 'elsewhere'].map(async (id) => (await findArtifact(db.pool, id))?.copies));
  expect(await found()).toEqual([[], undefined, []]);
  await finishBuild(db.pool, build, 'errored');
  expect(await forgetMissingSandboxes(db.pool, 0)).toEqual(['h-belongings']);
  expect(await found()).toEqual([undefined, undefined, []]);
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
