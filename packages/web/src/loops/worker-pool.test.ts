import { findWorker, finishLeaving, readWorkerStates } from '@seaplane/db';
import { createTestDatabase, type TestDatabase } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import type { DialTaker } from '@seaplane/orchestrator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenWorker } from '../boot/open-workers.ts';
import { WebError } from '../boot/web-error.ts';
import type { Component } from './component.ts';
import { TestWorker } from './testing/test-installation.ts';
import { WorkerPool } from './worker-pool.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

class ClosableWorker extends TestWorker {
  closed = false;
  override [Symbol.dispose](): void {
    this.closed = true;
  }
}

/** A pool whose heartbeats look when they are told to. */
async function openPool(fixed: readonly OpenWorker[] = []) {
  const clock = manualClock();
  const problems: string[] = [];
  const beats = new Map<string, Component>();
  const pool = await WorkerPool.open(
    {
      pool: database.pool,
      clock,
      onError: () => {},
      onCleared: () => {},
      onProblems: (worker, found) => void problems.push(`${worker}: ${found.join()}`),
    },
    fixed,
  );
  pool.run((component) => {
    beats.set(component.instance ?? '', component);
    return { [Symbol.asyncDispose]: async () => void beats.delete(component.instance ?? '') };
  });
  const opened: ClosableWorker[] = [];
  const target = (name: string, entry: string) => ({
    name,
    entry,
    async open() {
      const host = new ClosableWorker(name);
      opened.push(host);
      return { config: host.config, host, entry, fromFile: true as const };
    },
  });
  const beat = async (name: string) => {
    await beats.get(name)?.look(new AbortController().signal, () => {});
  };
  const stateOf = async (name: string) => (await findWorker(database.pool, name))?.state;
  return { pool, clock, problems, beats, opened, target, beat, stateOf };
}

test('[TARGETS3] workers come, change and go with the targets file', async () => {
  const { pool, clock, beats, opened, target, beat, stateOf } = await openPool();
  await using _pool = pool;
  const update = (...targets: ReturnType<typeof target>[]) => pool.update({ targets, mistakes: [] });
  expect(await update(target('a', '1'), target('b', '1'))).toMatchObject({ added: ['a', 'b'] });
  await beat('a');
  expect(await stateOf('a')).toBe('running');
  expect(await update(target('a', '2'), target('b', '1'))).toEqual({
    added: [],
    changed: ['a'],
    removed: [],
    taken: [],
  });
  expect(pool.hosts().map((host) => opened.indexOf(host as ClosableWorker))).toEqual([1, 2]);
  expect(opened.map(({ closed }) => closed)).toEqual([false, false, false]);
  await clock.advance(600_000);
  await pool.sweep();
  expect(opened.map(({ closed }) => closed)).toEqual([true, false, false]);

  await beat('a');
  expect(await update(target('b', '1'))).toMatchObject({ removed: ['a'] });
  expect(pool.workers().map(({ name, state }) => `${name} ${state}`)).toEqual(['b running', 'a landing']);
  await beat('a');
  expect(await stateOf('a')).toBe('landing');
  await finishLeaving(database.pool);
  await beat('a');
  await pool.sweep();
  expect((await readWorkerStates(database.pool)).has('a')).toBe(false);
  expect([...beats.keys()]).toEqual(['b']);
  expect(pool.workers().map(({ name }) => name)).toEqual(['b']);
  expect(await update(target('b', '1'), target('a', '2'))).toMatchObject({ added: ['a'] });
  await beat('a');
  expect(await stateOf('a')).toBe('running');
});

test('[TARGETS3] a worker that is removed and comes back at once runs on', async () => {
  const { pool, target, beat, stateOf } = await openPool();
  await using _pool = pool;
  const update = (...targets: ReturnType<typeof target>[]) => pool.update({ targets, mistakes: [] });
  await update(target('back', '1'));
  await beat('back');
  await update();
  await beat('back');
  expect(await stateOf('back')).toBe('landing');
  expect(await update(target('back', '1'))).toMatchObject({ added: ['back'] });
  await beat('back');
  expect(await stateOf('back')).toBe('running');
});

test('[TARGETS3] a step that runs keeps the former configuration of its worker until it has ended', async () => {
  const { pool, clock, opened, target } = await openPool();
  await using _pool = pool;
  await pool.update({ targets: [target('used', '1')], mistakes: [] });
  const [worker] = pool.workers();
  const over = new AbortController();
  const lost = worker?.watch.untilLost('x', over.signal, () => {});
  lost?.catch(() => {});
  await pool.update({ targets: [target('used', '2')], mistakes: [] });
  await clock.advance(600_000);
  await pool.sweep();
  expect(opened[0]?.closed).toBe(false);
  over.abort();
  await expect(lost).rejects.toThrow();
  await clock.advance(600_000);
  await pool.sweep();
  expect(opened[0]?.closed).toBe(true);
});

test('[TARGETS4] a mistake is a problem of its worker, which stays as it was; the others follow the file', async () => {
  const { pool, problems, target, beat, stateOf } = await openPool();
  await using _pool = pool;
  await pool.update({ targets: [target('good', '1'), target('bad', '1')], mistakes: [] });
  const error = new WebError('bad-targets', 'The targets file t: target.namespace is missing.');
  const change = await pool.update({ targets: [target('good', '2')], mistakes: [{ worker: 'bad', error }] });
  expect(change).toEqual({ added: [], changed: ['good'], removed: [], taken: [] });
  await beat('good');
  await beat('bad');
  expect(problems).toEqual(['good: ', 'bad: The targets file t: target.namespace is missing.']);
  expect(await stateOf('bad')).toBe('running');
  const broken = new WebError('bad-targets', 'The targets file t: it must be a list of targets.');
  expect(await pool.update({ targets: undefined, mistakes: [{ error: broken }] })).toMatchObject({ removed: [] });
  await beat('good');
  expect(problems.at(-1)).toBe('good: The targets file t: it must be a list of targets.');
});

test('[TARGETS5] a target under the name of a worker of a flag is not used, and is named', async () => {
  const host = new ClosableWorker('flagged');
  const { pool, opened, target } = await openPool([{ config: host.config, host, entry: 'e' }]);
  await using _pool = pool;
  const change = await pool.update({ targets: [target('flagged', '1'), target('other', '1')], mistakes: [] });
  expect(change).toEqual({ added: ['other'], changed: [], removed: [], taken: ['flagged'] });
  expect(opened.map(({ name }) => name)).toEqual(['other']);
  expect(pool.hosts()[0]).toBe(host);
});

test('[TARGETS6] a worker that has changed, or comes back, takes over the connection of its machine', async () => {
  const { pool, target, beat } = await openPool();
  await using _pool = pool;
  const takeovers: string[] = [];
  const takers = new Map<DialTaker, string>();
  const dialled = (name: string, entry: string) => {
    const plain = target(name, entry);
    const taker: DialTaker = {
      answer() {},
      takeOver: (former) => void takeovers.push(`${entry} of ${takers.get(former)}`),
    };
    takers.set(taker, entry);
    return { ...plain, open: async () => ({ ...(await plain.open()), dials: taker }) };
  };
  const update = (...targets: ReturnType<typeof dialled>[]) => pool.update({ targets, mistakes: [] });
  await update(dialled('desk', '1'), dialled('shelf', '1'));
  await update(dialled('desk', '2'), dialled('shelf', '1'));
  expect(takeovers).toEqual(['2 of 1']);
  await beat('desk');
  await update();
  for (const state of ['landing', 'landed']) {
    await beat('desk');
    if (state === 'landing') await finishLeaving(database.pool);
  }
  await pool.sweep();
  expect(pool.dialTaker('desk')).toBeUndefined();
  await update(dialled('desk', '3'));
  expect(takeovers).toEqual(['2 of 1', '3 of 2']);
});
