import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PasswordThreads } from './password-threads.ts';

vi.setConfig({ testTimeout: 30_000 });

let started: Worker[];
const onWorker = (worker: Worker) => started.push(worker);
beforeEach(() => {
  started = [];
  process.on('worker', onWorker);
});
afterEach(() => void process.off('worker', onWorker));

test('[API-LOGIN7] passwords are compared in two threads, a few wait, and the next are refused', async () => {
  const threads = new PasswordThreads();
  const hash = await bcrypt.hash('secret', 4);
  const accepted = Array.from({ length: 18 }, (_, i) =>
    threads.compare({ password: i % 2 ? 'secret' : 'wrong', hash }),
  );
  await expect(threads.compare({ password: 'secret', hash })).rejects.toMatchObject({
    code: 'too-many-requests',
    message: 'Too many people log in at the moment. Try again in 5 seconds.',
    retryAfterSeconds: 5,
  });
  expect(await Promise.all(accepted)).toEqual(accepted.map((_, i) => i % 2 === 1));
  expect(started).toHaveLength(2);
  await Promise.all(started.map((thread) => thread.threadId < 0 || once(thread, 'exit')));
  expect(await threads.compare({ password: 'secret', hash })).toBe(true);
});

test('[API-LOGIN7] a thread that fails fails its comparison, and the others are made by another thread', async () => {
  const threads = new PasswordThreads();
  const hash = await bcrypt.hash('secret', 4);
  const broken = [0, 1].map(() => threads.compare({ password: 'secret', hash: 1 as never }));
  const waiting = threads.compare({ password: 'secret', hash });
  expect(await Promise.allSettled([...broken, waiting])).toEqual([
    { status: 'rejected', reason: expect.any(Error) },
    { status: 'rejected', reason: expect.any(Error) },
    { status: 'fulfilled', value: true },
  ]);
});
