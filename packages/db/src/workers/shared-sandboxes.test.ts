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
import { InMemoryHost } from '@seaplane/orchestrator/testing';
import { expect, test } from 'vitest';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { createJournal } from '../journal/journal.ts';
import { Locks } from '../locks/locks.ts';
import { ensureMainTeam } from '../teams/teams.ts';
import { saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { reconcileSandboxes } from './collect-sandboxes.ts';
import { createRecords } from './records.ts';

test('[DB-SBX7] checks of one team and type on two workers: neither worker has a sandbox that nobody knows', async () => {
  await using db = await createTestDatabase();
  await ensureMainTeam(db.pool, {});
  await using locks = new Locks(db.pool);
  await using stack = new AsyncDisposableStack();
  const check = async ({ stdout }: { stdout: (text: string) => void }) => {
    stdout('[]');
    return 0;
  };
  const workers = ['north', 'south'].map((name): StepWorker => {
    const host = new InMemoryHost(name, { '/opt/resource/check': check });
    const watch = stack.use(new SandboxWatch(host, () => {}));
    const baseTypes = { mock: { image: 'mock:1', privileged: false } };
    const room = new RoomQueue(watch, systemClock);
    return { name, host, watch, platform: 'linux', tags: [name], baseTypes, state: 'running', room };
  });
  const records = createRecords({ pool: db.pool, locks });
  const artifacts = new Artifacts(
    records,
    () => workers,
    () => {},
  );
  const { teamId } = await saveSample(db.pool, { name: 'p' }, {});
  const { id } = await createOneOffBuild(db.pool, { teamId }, { plan: { id: '1', do: [] }, publicPlan: {} });
  const build: BuildInfo = { id, name: '1', teamId, teamName: 'main', externalUrl: 'http://test' };
  const journal = createJournal(db.pool, id);
  const context = {
    records,
    artifacts,
    workers: () => workers,
    placement: new PlacementPolicy(systemClock),
    clock: systemClock,
    onError: () => {},
  };
  const steps = orchestratorFor(context, build, () => journal.pen());
  const image = { kind: 'base-type', type: 'mock', privileged: false } as const;
  for (const { name } of workers) {
    const { exitStatus } = await steps.check(ioOf(name), {
      type: 'mock',
      source: {},
      config: 1,
      image,
      tags: [name],
      env: {},
    });
    expect(exitStatus).toBe(0);
  }
  for (const { name, host } of workers) {
    const handles = await host.list(AbortSignal.timeout(1000));
    expect(handles).toHaveLength(1);
    expect(await reconcileSandboxes(db.pool, name, handles)).toEqual([]);
  }
});

function ioOf(planId: string): StepIo {
  const output = {
    position: async () => ({ stdout: 0, stderr: 0 }),
    write: async () => {},
    flush: async () => {},
    restart: async () => {},
  };
  const identity = { buildId: 1, planId, attempt: '', stepName: 'step' };
  return { identity, signal: AbortSignal.timeout(20_000), output, notice: async () => {} };
}
