import type { BuildInfo, StepIo } from '@seaplane/engine';
import {
  Artifacts,
  orchestratorFor,
  PlacementPolicy,
  RoomQueue,
  SandboxWatch,
  type StepWorker,
  systemClock,
} from '@seaplane/orchestrator';
import { InMemoryHost, type Program } from '@seaplane/orchestrator/testing';
import { expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { createJournal } from '../journal/journal.ts';
import { Locks } from '../locks/locks.ts';
import type { Queryable } from '../queryable.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { claimUnwantedArtifacts, forgetUnusedArtifacts } from './collect-artifacts.ts';
import { markUninterceptible } from './collect-sandboxes.ts';
import { createRecords } from './records.ts';

const NO_AGE = { uploadMs: 0, idleCacheMs: 0, storedMs: 0 };
const NO_GRACE = { oneOffMs: 0, failedMs: 0, hijackMs: 0, idleCheckMs: 0, copyMs: 0 };

const fetchVersion: Program = async ({ request, stdout, files }) => {
  const { version } = JSON.parse(request.stdin) as { version: object };
  files.write(`${request.args[0]}/metadata.json`, '{}');
  stdout(JSON.stringify({ version }));
  return 0;
};

function ioOf(buildId: number, planId: string): StepIo {
  const output = {
    position: async () => ({ stdout: 0, stderr: 0 }),
    write: async () => {},
    flush: async () => {},
    restart: async () => {},
  };
  const identity = { buildId, planId, attempt: '', stepName: 'step' };
  return { identity, signal: AbortSignal.timeout(20_000), output, notice: async () => {} };
}

/** Collects as if everything were old. Returns the caches that are left. */
async function collect(db: Queryable): Promise<string[]> {
  // So long ago that no rule about time keeps a cache.
  await db.query("UPDATE resource_cache SET last_used_at = now() - interval '1 day'");
  await markUninterceptible(db, NO_GRACE);
  await forgetUnusedArtifacts(db, NO_AGE);
  await claimUnwantedArtifacts(db, 'worker-1', NO_AGE);
  const { rows } = await db.query<{ ref: string }>("SELECT version->>'ref' AS ref FROM resource_cache ORDER BY ref");
  return rows.map(({ ref }) => ref);
}

test('[DB-ART8] the collector leaves what a build got and the image it ran from, as long as each is needed', async () => {
  await using db = await createTestDatabase();
  const { pool } = db;
  await using locks = new Locks(pool);
  const { teamId, jobs } = await saveSample(pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  const records = createRecords({ pool, locks });
  const host = new InMemoryHost('worker-1', { '/opt/resource/in': fetchVersion, true: async () => 0 });
  await using watch = new SandboxWatch(host, () => {});
  const baseTypes = { mock: { image: 'mock:1', privileged: false } };
  const room = new RoomQueue(watch, systemClock);
  const worker: StepWorker = {
    name: host.name,
    host,
    watch,
    platform: 'linux',
    tags: [],
    baseTypes,
    state: 'running',
    room,
  };
  const artifacts = new Artifacts(
    records,
    () => [worker],
    () => {},
  );
  const base = { kind: 'base-type', type: 'mock', privileged: false } as const;

  /** A build that gets one version and runs a task from another. */
  async function run(): Promise<number> {
    const { id, name } = await createJobBuild(pool, { jobId: jobs['j'] ?? 0 });
    const build: BuildInfo = { id, name, teamId, teamName: 'main', externalUrl: 'http://test' };
    const journal = createJournal(pool, id);
    const context = {
      records,
      artifacts,
      workers: () => [worker],
      placement: new PlacementPolicy(systemClock),
      clock: systemClock,
      onError: () => {},
    };
    const steps = orchestratorFor(context, build, () => journal.pen());
    const get = (planId: string, ref: string) =>
      steps.get(ioOf(id, planId), { type: 'mock', source: {}, image: base, tags: [], env: {}, version: { ref } });
    await get('1', 'input');
    const { result } = await get('2', 'image');
    const artifact = result?.artifact ?? { id: '' };
    const image = { kind: 'artifact', artifact, privileged: false } as const;
    const nothing = {
      platform: 'linux',
      tags: [],
      args: [],
      env: {},
      hermetic: false,
      inputs: [],
      outputs: [],
      caches: [],
    };
    await steps.task(ioOf(id, '3'), { ...nothing, image, path: 'true' });
    return id;
  }

  const first = await run();
  expect(await collect(pool)).toEqual(['image', 'input']);
  await finishBuild(pool, first, 'succeeded');
  expect(await collect(pool)).toEqual(['image']);

  // The job's latest build failed: people may look into it, so the collector leaves its input.
  const second = await run();
  await finishBuild(pool, second, 'failed');
  expect(await collect(pool)).toEqual(['image', 'input']);
  const { id: third } = await createJobBuild(pool, { jobId: jobs['j'] ?? 0 });
  await finishBuild(pool, third, 'succeeded');
  expect(await collect(pool)).toEqual([]);
});
