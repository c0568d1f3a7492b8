import type { BuildInfo, ResolvedResource } from '@seaplane/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { abortBuild } from './builds/abort-build.ts';
import { createJobBuild, ensurePendingBuild, rerunBuild } from './builds/create-job-build.ts';
import { createCheckBuild } from './builds/create-started-build.ts';
import { finishBuild } from './builds/finish-build.ts';
import { startBuild } from './builds/start-build.ts';
import { createJournal } from './journal/journal.ts';
import { Locks } from './locks/locks.ts';
import { pausePipeline, unpausePipeline } from './pipelines/change-pipeline.ts';
import { createResources } from './resources/create-resources.ts';
import { sampleJob, sampleResource, saveSample } from './testing/sample-pipeline.ts';
import { createTestDatabase } from './testing/test-database.ts';
import { markUninterceptible } from './workers/collect-sandboxes.ts';

const plan = { id: '1', do: [] };
const resolved: ResolvedResource = {
  type: 'mock',
  source: {},
  image: { kind: 'base-type', type: 'mock', privileged: false },
  tags: [],
  env: {},
};

/** Jobs that pass to one another both ways round and share slots, so that everything touches everything. */
const names = ['a', 'b', 'c', 'd'];
const parts = {
  resources: [sampleResource('r'), sampleResource('s')],
  jobs: names.map((name, index) =>
    sampleJob(name, {
      serialGroups: [`g${index % 2}`],
      inputs: [
        { name: 'r', resource: 'r', passed: [], trigger: true },
        { name: 's', resource: 's', passed: names.filter((other) => other !== name), trigger: true },
      ],
    }),
  ),
};

test('[DB-SAFE1] operations at once get along: none fails because of another', async () => {
  await using db = await createTestDatabase();
  await using locks = new Locks(db.pool);
  const resources = createResources({ pool: db.pool, locks });
  const sample = await saveSample(db.pool, { name: 'p' }, parts);
  const { teamId, pipelineId } = sample;
  const jobId = (n: number) => sample.jobs[names[n % names.length] ?? ''] ?? 0;
  const info = (id: number): BuildInfo => ({ id, name: '', teamId, teamName: 'main', pipelineId, externalUrl: '' });
  const never = new AbortController().signal;

  const operations: readonly ((n: number) => Promise<unknown>)[] = [
    (n) => ensurePendingBuild(db.pool, jobId(n)),
    async (n) => {
      const { id } = await createJobBuild(db.pool, { jobId: jobId(n) });
      await startBuild(db.pool, id, { plan, publicPlan: {} });
      const journal = createJournal(db.pool, id);
      await journal.record({ planId: '1', what: 'result' }, {});
      await Promise.all([journal.finish('succeeded'), abortBuild(db.pool, id), finishBuild(db.pool, id, 'failed')]);
    },
    async (n) => {
      const { id } = await createJobBuild(db.pool, { jobId: jobId(n) });
      const rerun = await rerunBuild(db.pool, { buildId: id });
      await Promise.all([id, rerun.id].map((each) => finishBuild(db.pool, each, 'succeeded')));
    },
    async (n) => {
      const { id } = await createJobBuild(db.pool, { jobId: jobId(n) });
      const resource = n % 2 ? 'r' : 's';
      const put = { name: 'out', type: 'mock', source: { name: resource }, image: {}, resource };
      await resources.saveOutput(info(id), put, resolved, { v: String(n) }, []);
    },
    async (n) => {
      const name = n % 2 ? 'r' : 's';
      const of = { resourceId: sample.resources[name] ?? 0 };
      const build = await createCheckBuild(db.pool, of, { plan, publicPlan: {}, manuallyTriggered: true });
      const check = { name, type: 'mock', source: { name }, image: {}, resource: name, skip_interval: true };
      await using session = await resources.beginCheck(info(build?.id ?? 0), check, resolved, never);
      if (!session.skip) await session.recordVersions([{ v: String(n) }, { v: String(n + 1) }]);
    },
    // Several saves of one version: one succeeds, and the others get a conflict.
    () =>
      saveSample(db.pool, { name: 'p' }, parts).catch((error: Error) => expect(error.message).toBe('version-conflict')),
    (n) => (n % 2 ? pausePipeline(db.pool, pipelineId, 'x') : unpausePipeline(db.pool, pipelineId)),
    () => markUninterceptible(db.pool, { oneOffMs: 0, failedMs: 0, hijackMs: 0, idleCheckMs: 0, copyMs: 0 }),
  ];

  const step = fc.tuple(fc.nat(operations.length - 1), fc.nat(20));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      await Promise.all(steps.map(([operation, n]) => operations[operation]?.(n)));
    }),
    { numRuns: 8 },
  );
}, 60_000);
