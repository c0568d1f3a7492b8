import { findWorker, finishLeaving, retireWorker } from '@seaplane/db';
import { createTestDatabase, type TestDatabase } from '@seaplane/db/testing';
import { manualClock, quiet } from '@seaplane/engine/testing';
import type { HostHealth } from '@seaplane/orchestrator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorker } from './testing/test-installation.ts';
import { WorkerMember } from './worker-member.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test('[ROOM9] a worker that does not answer its health check is reported, with that as its problem', async () => {
  const host = Object.assign(new TestWorker('silent'), {
    check: (signal: AbortSignal) =>
      new Promise<HostHealth>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  const clock = manualClock();
  const context = { pool: database.pool, clock, onError: () => {}, onProblems: () => {}, onCleared: () => {} };
  await using member = new WorkerMember(context, { config: host.config, host, entry: 'e' });
  const look = member.heartbeat.look(new AbortController().signal, () => {});
  await quiet();
  await clock.advance(30_000);
  await look;
  expect(await findWorker(database.pool, 'silent')).toMatchObject({
    state: 'stalled',
    problems: ['it did not answer within 30 seconds'],
  });
});

test('[ROOM23] a retired worker is cleared until nothing is left, and steps on it learn that their sandbox has gone', async () => {
  const answers = [false, true];
  const host = Object.assign(new TestWorker('retired'), { clear: async () => answers.shift() ?? true });
  const cleared: string[] = [];
  const onCleared = (worker: string) => void cleared.push(worker);
  const context = { pool: database.pool, clock: manualClock(), onError: () => {}, onProblems: () => {}, onCleared };
  await using member = new WorkerMember(context, { config: host.config, host, entry: 'e' });
  const look = () => member.heartbeat.look(new AbortController().signal, () => {});
  await look();
  const lost = member.asWorker()?.watch.untilLost('task-1', new AbortController().signal, () => {});
  await retireWorker(database.pool, 'retired');
  await finishLeaving(database.pool);
  expect(await look()).toBe(1_000);
  expect(member.asWorker()).toBeUndefined();
  expect((await lost)?.code).toBe('deleted');
  expect(cleared).toEqual([]);
  expect(await look()).toBeUndefined();
  expect(cleared).toEqual(['retired']);
});

test('[ROOM18] the way to a worker is reported with its health', async () => {
  const check = async (): Promise<HostHealth> => ({ usable: true, problems: [], way: 'direct' });
  const host = Object.assign(new TestWorker('near'), { check });
  const context = {
    pool: database.pool,
    clock: manualClock(),
    onError: () => {},
    onProblems: () => {},
    onCleared: () => {},
  };
  await using member = new WorkerMember(context, { config: host.config, host, entry: 'e' });
  await member.heartbeat.look(new AbortController().signal, () => {});
  expect(await findWorker(database.pool, 'near')).toMatchObject({ state: 'running', way: 'direct' });
});
