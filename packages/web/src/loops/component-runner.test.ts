import { type Channel, Locks, listComponents, Notifications, pauseAllComponents, pauseComponent } from '@seaplane/db';
import { createTestDatabase, type TestDatabase } from '@seaplane/db/testing';
import { type ManualClock, manualClock, quiet } from '@seaplane/engine/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Component } from './component.ts';
import { ComponentRunner } from './component-runner.ts';

const PATIENCE = { timeout: 10_000 };
const INTERVAL_MS = 60_000;
const SYNC_MS = 5_000;

let database: TestDatabase;
let clock: ManualClock;
let problems: string[];
let parts: AsyncDisposableStack;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  database = parts.use(await createTestDatabase());
  clock = manualClock();
  problems = [];
});
afterEach(() => parts.disposeAsync());

/** Notifications by hand. */
class TestNotifications {
  readonly #listeners = new Set<{ channel: Channel; listener: (payload: string | undefined) => void }>();

  subscribe(channel: Channel, listener: (payload: string | undefined) => void): Disposable {
    const subscription = { channel, listener };
    this.#listeners.add(subscription);
    return { [Symbol.dispose]: () => void this.#listeners.delete(subscription) };
  }

  notify(to: Channel, payload?: string): void {
    for (const { channel, listener } of this.#listeners) if (channel === to) listener(payload);
  }
}

/** A component that counts its looks. */
function counting(name: string, options: Partial<Component> = {}): Component & { looks: number } {
  const component: Component & { looks: number } = {
    name,
    channels: [],
    lock: 'none',
    intervalMs: INTERVAL_MS,
    looks: 0,
    look: async () => {
      component.looks++;
      return undefined;
    },
    ...options,
  };
  return component;
}

/** Runs components as one web does. */
async function run(
  components: readonly Component[],
  notifications: Pick<Notifications, 'subscribe'> = new TestNotifications(),
): Promise<ComponentRunner> {
  const { pool } = database;
  const locks = parts.use(new Locks(pool));
  const onError = (error: unknown, what: string) => void problems.push(`${what}: ${(error as Error).message}`);
  return parts.use(await ComponentRunner.start({ pool, locks, notifications, clock, onError }, components));
}

const list = () => listComponents(database.pool);

test('[CMP1] every listed component is in the table with its interval, and its last run is recorded', async () => {
  await run([counting('one'), counting('own', { listed: false })]);
  expect(await list()).toMatchObject([{ name: 'one', intervalMs: INTERVAL_MS, paused: false }]);
  const lastRun = async () => {
    await clock.advance(SYNC_MS);
    return (await list())[0]?.lastRanAt;
  };
  await expect.poll(lastRun, PATIENCE).toBeInstanceOf(Date);
});

test('[CMP2] a component that is paused does not look, and looks at once when it is resumed', async () => {
  await using notifications = await Notifications.open(database.pool);
  const [one, other] = [counting('one', { channels: ['job'] }), counting('other', { channels: ['job'] })];
  await run([one, other], notifications);
  await expect.poll(() => [one.looks, other.looks]).toEqual([1, 1]);
  await pauseComponent(database.pool, 'one', true);
  const job = async () => void (await database.pool.query("SELECT pg_notify('seaplane_job', '1')"));
  const untilPaused = async () => {
    const before = [one.looks, other.looks];
    await job();
    await expect.poll(() => other.looks).toBeGreaterThan(before[1] ?? 0);
    return one.looks === before[0];
  };
  await expect.poll(untilPaused, PATIENCE).toBe(true);
  const paused = one.looks;
  await clock.advance(INTERVAL_MS);
  expect(one.looks).toBe(paused);
  await pauseAllComponents(database.pool, false);
  await expect.poll(() => one.looks, PATIENCE).toBe(paused + 1);
});

test('[CMP2] a component that was paused before web started does not look', async () => {
  const first = await run([counting('one')]);
  await first[Symbol.asyncDispose]();
  await pauseComponent(database.pool, 'one', true);
  const again = counting('one');
  await run([again]);
  await clock.advance(INTERVAL_MS);
  expect(again.looks).toBe(0);
});

test('[CMP3] a pause whose notification was lost takes effect at the next sync', async () => {
  const one = counting('one');
  await run([one]);
  await quiet();
  await pauseComponent(database.pool, 'one', true);
  await expect
    .poll(async () => {
      await clock.advance(SYNC_MS);
      const before = one.looks;
      await clock.advance(INTERVAL_MS);
      return one.looks - before;
    }, PATIENCE)
    .toBe(0);
});

test('[CMP4] a component with work that must go on does that work while it is paused', async () => {
  let looks = 0;
  const lookPaused = async () => {
    looks++;
    return undefined;
  };
  await (await run([counting('one')]))[Symbol.asyncDispose]();
  await pauseComponent(database.pool, 'one', true);
  const one = counting('one', { lookPaused });
  await run([one]);
  await quiet();
  expect([one.looks, looks]).toEqual([0, 1]);
});

test('[CMP5] of several webs one at a time looks, if the component has a lock', async () => {
  const release = Promise.withResolvers<void>();
  let [looking, most] = [0, 0];
  const look = async () => {
    most = Math.max(most, ++looking);
    await release.promise;
    looking--;
    return undefined;
  };
  const notifications = new TestNotifications();
  const locked = { lock: 'component', channels: ['job'], look } as const;
  await run([counting('one', locked)], notifications);
  await expect.poll(() => looking).toBe(1);
  const other = counting('other');
  await run([counting('one', locked), other], notifications);
  await expect.poll(() => other.looks).toBe(1);
  notifications.notify('job');
  await quiet();
  release.resolve();
  await expect.poll(() => looking).toBe(0);
  expect(most).toBe(1);
});

test('[CMP6] a notification wakes the components of its channel; one about another instance wakes nothing', async () => {
  const notifications = new TestNotifications();
  const one = counting('heartbeat', { instance: 'one', channels: ['workers'], listed: false });
  const two = counting('heartbeat', { instance: 'two', channels: ['workers'], listed: false });
  const other = counting('other', { channels: ['job'] });
  await run([one, two, other], notifications);
  const looks = async () => {
    await quiet();
    return [one.looks, two.looks, other.looks];
  };
  expect(await looks()).toEqual([1, 1, 1]);
  notifications.notify('workers', 'one');
  expect(await looks()).toEqual([2, 1, 1]);
  notifications.notify('workers');
  expect(await looks()).toEqual([3, 2, 1]);
});

test('[CMP7] a look that fails is reported by the component’s name and repeated; the others go on', async () => {
  let failures = 0;
  const failing = counting('one', {
    look: async () => {
      if (failures++ === 0) throw new Error('no database');
      return undefined;
    },
  });
  const other = counting('other');
  await run([failing, other]);
  await clock.advance(100);
  await clock.advance(1_000);
  expect(failures).toBe(2);
  expect(other.looks).toBe(1);
  expect(problems).toEqual(['one: no database']);
});
