import { findWorker, landWorker, Notifications } from '@seaplane/db';
import { createTestDatabase, type TestDatabase } from '@seaplane/db/testing';
import type { HostHealth, OpenHost } from '@seaplane/orchestrator';
import { InMemoryHost } from '@seaplane/orchestrator/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TargetWorker, type TargetWorkerContext } from './target-worker.ts';

const PATIENCE = { timeout: 10_000 }; // less than the time to the next health check

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

class TestHost extends InMemoryHost implements OpenHost {
  [Symbol.dispose](): void {}
}

function worker(host: OpenHost, context: Pick<TargetWorkerContext, 'notifications' | 'healthTimeoutMs'>): TargetWorker {
  const config = { name: host.name, platform: 'linux', tags: [], baseTypes: {} };
  const quiet = { onError: () => {}, onProblems: () => {} };
  return new TargetWorker({ pool: database.pool, ...quiet, ...context }, config, host);
}

test('[ROOM7] one that somebody lands takes no new steps from then on', async () => {
  await using notifications = await Notifications.open(database.pool);
  await using landed = worker(new TestHost('w'), { notifications });
  await expect.poll(async () => (await findWorker(database.pool, 'w'))?.state, PATIENCE).toBe('running');
  await landWorker(database.pool, 'w');
  await expect.poll(() => landed.asWorker().state, PATIENCE).toBe('landing');
});

test('[ROOM9] one that does not answer its health check is reported, with that as its problem', async () => {
  await using notifications = await Notifications.open(database.pool);
  const silent = Object.assign(new TestHost('silent'), {
    check: (signal: AbortSignal) =>
      new Promise<HostHealth>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await using _silent = worker(silent, { notifications, healthTimeoutMs: 10 });
  const reported = () => findWorker(database.pool, 'silent');
  await expect
    .poll(reported, PATIENCE)
    .toMatchObject({ state: 'stalled', problems: ['it did not answer within 0.01 seconds'] });
});
