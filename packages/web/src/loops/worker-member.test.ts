import { findWorker } from '@seaplane/db';
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
  const context = { pool: database.pool, clock, onError: () => {}, onProblems: () => {} };
  await using member = new WorkerMember(context, host.config, host);
  const look = member.heartbeat.look(new AbortController().signal, () => {});
  await quiet();
  await clock.advance(30_000);
  await look;
  expect(await findWorker(database.pool, 'silent')).toMatchObject({
    state: 'stalled',
    problems: ['it did not answer within 30 seconds'],
  });
});
