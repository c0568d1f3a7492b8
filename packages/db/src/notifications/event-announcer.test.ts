import { manualClock } from '@seaplane/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { createJournal } from '../journal/journal.ts';
import { makePool } from '../make-pool.ts';
import { ensureMainTeam } from '../teams/teams.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { notify } from './channels.ts';
import { EventAnnouncer } from './event-announcer.ts';
import { Notifications } from './notifications.ts';

let db: TestDatabase;
let notifications: Notifications;
beforeAll(async () => {
  db = await createTestDatabase();
  notifications = await Notifications.open(db.pool);
});
afterAll(async () => {
  await notifications.close();
  await db[Symbol.asyncDispose]();
});

const log = { event: 'log', data: { time: 1, origin: { id: '1' }, payload: 'x' } } as const;

/** `all` waits until everything that was sent before has arrived, and returns what was not returned before. */
function listen() {
  const heard: string[] = [];
  let wake = () => {};
  const subscription = notifications.subscribe('buildEvents', (payload) => {
    heard.push(payload ?? '');
    wake();
  });
  const all = async () => {
    await notify(db.pool, 'buildEvents', 'last');
    while (heard.at(-1) !== 'last') await new Promise<void>((resolve) => (wake = resolve));
    return heard.splice(0).slice(0, -1);
  };
  return { all, [Symbol.dispose]: () => subscription[Symbol.dispose]() };
}

test('[DB-NOTE4] the first event is announced at once, and those of the next 50 ms by one notification for all builds', async () => {
  const { id: teamId } = await ensureMainTeam(db.pool, {});
  const clock = manualClock();
  await using announcer = new EventAnnouncer({ pool: db.pool, clock });
  const planned = { plan: { id: '1', do: [] }, publicPlan: {} };
  const ids: number[] = [];
  for (let n = 0; n < 5; n++) ids.push((await createOneOffBuild(db.pool, { teamId }, planned)).id);
  const journals = ids.map((id) => createJournal(db.pool, id, (each) => announcer.announce(each)));
  using ear = listen();
  await ear.all();
  await journals[0]?.emit('begin', log);
  await expect.poll(() => clock.sleepers()).toBe(1);
  expect(await ear.all()).toEqual([String(ids[0])]);
  for (let round = 1; round <= 10; round++) {
    for (const journal of journals) await journal.appendLog('1', [log], { stdout: round, stderr: 0 });
  }
  await clock.advance(49);
  expect(await ear.all()).toEqual([]);
  await clock.advance(1);
  await expect.poll(() => clock.sleepers()).toBe(1);
  expect(await ear.all()).toEqual([ids.join()]);
  await clock.advance(50);
  await expect.poll(() => clock.sleepers()).toBe(0);
  expect(await ear.all()).toEqual([]);
});

test('[DB-NOTE4] closing announces what is left, however many builds have events', async () => {
  using ear = listen();
  const clock = manualClock();
  const announcer = new EventAnnouncer({ pool: db.pool, clock });
  const ids = Array.from({ length: 1_000 }, (_, n) => 2_000_000_000 + n);
  announcer.announce(1);
  for (const id of ids) announcer.announce(id);
  await announcer[Symbol.asyncDispose]();
  expect((await ear.all()).join()).toBe([1, ...ids].join());
});

test('[DB-NOTE4] an announcement that fails is repeated', async () => {
  using ear = listen();
  const clock = manualClock();
  const pool = makePool({ ...db.connection, max: 1 });
  let failures = 0;
  const failing: typeof pool = Object.assign(Object.create(pool), {
    query: async (...args: [string]) => {
      if (failures++ === 0) throw new Error('the database is away');
      return pool.query(...args);
    },
  });
  await using announcer = new EventAnnouncer({ pool: failing, clock });
  announcer.announce(7);
  await expect.poll(() => clock.sleepers()).toBe(1);
  announcer.announce(8);
  expect(await ear.all()).toEqual([]);
  await clock.advance(1_000);
  await expect.poll(() => clock.sleepers()).toBe(1);
  expect(await ear.all()).toEqual(['7,8']);
  await pool.end();
});
