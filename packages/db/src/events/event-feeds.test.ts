import type { BuildEvent } from '@seaplane/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { Notifications } from '../notifications/notifications.ts';
import { ensureMainTeam } from '../teams/teams.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { appendEvents } from './append-events.ts';
import { EventFeeds, type WatchDependencies } from './event-feeds.ts';
import { readEvents } from './read-events.ts';

let db: TestDatabase;
let notifications: Notifications;
let teamId: number;
beforeAll(async () => {
  db = await createTestDatabase();
  notifications = await Notifications.open(db.pool);
  teamId = (await ensureMainTeam(db.pool, {})).id;
});
afterAll(async () => {
  await notifications.close();
  await db[Symbol.asyncDispose]();
});

async function newBuild(): Promise<number> {
  return (await createOneOffBuild(db.pool, { teamId }, { plan: { id: '1', do: [] }, publicPlan: {} })).id;
}

function log(payload: string): BuildEvent {
  return { event: 'log', data: { time: 1, origin: { id: '1' }, payload } };
}

const never = new AbortController().signal;
/** So long that nothing but a notification can be what wakes a watcher. */
const NO_SWEEP = 3_600_000;

/** The events one by one, of feeds that nobody else watches unless they are given. */
async function* watch(
  id: number,
  from: number,
  signal: AbortSignal,
  feeds = new EventFeeds({ pool: db.pool, notifications }, NO_SWEEP),
) {
  for await (const events of feeds.watch(id, from, signal)) yield* events;
}

test('[DB-EVT1] events are numbered from 0 without a gap, with the version that fly knows', async () => {
  const id = await newBuild();
  await Promise.all(Array.from({ length: 20 }, (_, n) => appendEvents(db.pool, id, [log(`${n} a`), log(`${n} b`)])));
  const { events, ended } = await readEvents(db.pool, id, 0);
  expect(events.map((event) => event.id)).toEqual(Array.from({ length: 41 }, (_, n) => n));
  expect(events[0]).toMatchObject({ type: 'status', version: '1.0' });
  expect(events[1]).toMatchObject({ type: 'log', version: '5.1' });
  expect(ended).toBe(false);
});

test('[DB-EVT2] reading goes on from any number, some at a time, and tells when there will be no more', async () => {
  const id = await newBuild();
  await appendEvents(db.pool, id, [log('a'), log('b'), log('c')]);
  expect((await readEvents(db.pool, id, 2)).events.map((event) => event.id)).toEqual([2, 3]);
  await finishBuild(db.pool, id, 'succeeded');
  expect(await readEvents(db.pool, id, 0, { events: 3 })).toMatchObject({ ended: false });
  const rest = await readEvents(db.pool, id, 3, { events: 2 });
  expect(rest.events.map(({ type }) => type)).toEqual(['log', 'status']);
  expect(rest.ended).toBe(true);
  const none = { events: [], ended: true, complete: true };
  expect(await readEvents(db.pool, id, 17)).toEqual(none);
  expect(await readEvents(db.pool, 999_999, 0)).toEqual(none);
});

test('[DB-EVT7] a page has at most 128 KiB of events, and at least one event', async () => {
  const id = await newBuild();
  const sizes = [...Array<number>(40).fill(8 * 1024), 3 * 1024 * 1024, 10, 10];
  for (const [n, size] of sizes.entries()) await appendEvents(db.pool, id, [log(String(n % 10).repeat(size))]);
  await finishBuild(db.pool, id, 'succeeded');
  const seen: number[] = [];
  const pages: number[] = [];
  for (let ended = false; !ended; ) {
    const page = await readEvents(db.pool, id, seen.length);
    const bytes = page.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    expect(page.events.length === 1 || bytes <= 128 * 1024).toBe(true);
    seen.push(...page.events.map((event) => event.id));
    pages.push(page.events.length);
    ended = page.ended;
  }
  expect(seen).toEqual(Array.from({ length: sizes.length + 2 }, (_, n) => n));
  expect(pages).toEqual([16, 15, 10, 1, 3]);
});

test('[DB-EVT3] nothing is appended after the end', async () => {
  const id = await newBuild();
  await finishBuild(db.pool, id, 'failed');
  expect(await appendEvents(db.pool, id, [log('late')])).toBe(false);
  expect((await readEvents(db.pool, id, 0)).events).toHaveLength(2);
});

test('[DB-EVT4] a watcher gets each event as it is committed, once and in order, and returns after the last', async () => {
  const id = await newBuild();
  const seen: string[] = [];
  const watcher = async () => {
    for await (const event of watch(id, 0, never)) {
      seen.push(event.type === 'log' ? JSON.parse(event.data).payload : event.type);
      // Each is written only when the one before was seen: without a notification this would never end.
      if (seen.length <= 3) await appendEvents(db.pool, id, [log(String(seen.length))]);
      if (seen.length === 4) await finishBuild(db.pool, id, 'succeeded');
    }
  };
  await watcher();
  expect(seen).toEqual(['status', '1', '2', '3', 'status']);
});

test('[DB-EVT5] a watcher stops with its signal', async () => {
  const id = await newBuild();
  const stop = new AbortController();
  const watcher = async () => {
    for await (const _ of watch(id, 0, stop.signal)) {
      queueMicrotask(() => stop.abort(new Error('enough')));
    }
  };
  await expect(watcher()).rejects.toThrow('enough');
});

test('[DB-EVT6] a watcher goes on when the connection that listens was lost, and when every notification is', async () => {
  const id = await newBuild();
  const deaf = { subscribe: () => ({ [Symbol.dispose]() {} }) };
  const waiters = [
    watch(id, 1, never).next(),
    watch(id, 1, never, new EventFeeds({ pool: db.pool, notifications: deaf }, 20)).next(),
  ];
  // In one transaction with the event, so that its notification finds nobody who listens.
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await appendEvents(client, id, [log('missed')]);
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  await client.query('COMMIT');
  client.release();
  for (const result of await Promise.all(waiters)) {
    expect(result.value).toMatchObject({ id: 1, type: 'log' });
  }
});

/** Feeds whose reads are counted, and held back on request, and that are notified by the test. */
function observedFeeds() {
  const listeners = new Set<(payload: string | undefined) => void>();
  let gate: Promise<void> | undefined;
  const seen = { reads: 0, subscriptions: 0 };
  const pool: typeof db.pool = Object.assign(Object.create(db.pool), {
    query: async (...args: [string]) => {
      seen.reads++;
      const held = gate;
      const result = await db.pool.query(...args);
      await held;
      return result;
    },
  });
  const own: WatchDependencies['notifications'] = {
    subscribe(_channel, listener) {
      listeners.add(listener);
      seen.subscriptions++;
      return {
        [Symbol.dispose]() {
          listeners.delete(listener);
          seen.subscriptions--;
        },
      };
    },
  };
  return {
    feeds: new EventFeeds({ pool, notifications: own }, NO_SWEEP),
    seen,
    notify: (payload: string) => {
      for (const listener of listeners) listener(payload);
    },
    /** Holds back the answers of reads that begin before the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      const letOthersPass = () => {
        gate = undefined;
      };
      return { open: resolve, letOthersPass };
    },
  };
}

test('[DB-EVT8] a hundred watchers of a build cost one read for each append, and each gets every event once', async () => {
  const id = await newBuild();
  const { feeds, seen, notify } = observedFeeds();
  const watchers = Array.from({ length: 100 }, () => watch(id, 0, never, feeds));
  const next = async () => {
    const results = watchers.map((watcher) => watcher.next());
    return Promise.all(results.map(async (result) => (await result).value?.id));
  };
  expect(new Set(await next())).toEqual(new Set([0]));
  for (let n = 1; n <= 5; n++) {
    const heard = next();
    await appendEvents(db.pool, id, [log(String(n))]);
    notify(`7,${id},8`);
    expect(new Set(await heard)).toEqual(new Set([n]));
  }
  expect(seen).toEqual({ reads: 6, subscriptions: 1 });
  const ends = watchers.map(async (watcher) => (await Array.fromAsync(watcher)).map((event) => event.type));
  await finishBuild(db.pool, id, 'succeeded');
  notify(String(id));
  expect(new Set((await Promise.all(ends)).flat())).toEqual(new Set(['status']));
  expect(seen).toEqual({ reads: 7, subscriptions: 0 });
});

test('[DB-EVT8] a watcher that falls behind gets everything from reads of its own, and delays nobody', async () => {
  const id = await newBuild();
  const { feeds, seen, notify } = observedFeeds();
  const slow = feeds.watch(id, 0, never);
  const quick = watch(id, 0, never, feeds);
  await Promise.all([slow.next(), quick.next()]);
  for (let n = 1; n <= 40; n++) {
    const heard = quick.next();
    await appendEvents(db.pool, id, [log(String(n % 10).repeat(8 * 1024))]);
    notify(String(id));
    expect((await heard).value?.id).toBe(n);
  }
  expect(seen.reads).toBe(41);
  await finishBuild(db.pool, id, 'succeeded');
  const pages = await Array.fromAsync(slow);
  expect(pages.flat().map((event) => event.id)).toEqual(Array.from({ length: 41 }, (_, n) => n + 1));
  expect(pages.length).toBeGreaterThan(2);
  await quick.return();
});

test('[DB-EVT8] a watcher does not join a read that began before the notification', async () => {
  const id = await newBuild();
  const { feeds, notify, hold } = observedFeeds();
  const held = hold();
  const first = watch(id, 1, never, feeds).next(); // finds nothing, but does not know it yet
  await db.pool.query('SELECT 1');
  held.letOthersPass();
  await appendEvents(db.pool, id, [log('new')]);
  notify(String(id));
  expect((await watch(id, 1, never, feeds).next()).value).toMatchObject({ id: 1 });
  held.open();
  expect((await first).value).toMatchObject({ id: 1 });
});
