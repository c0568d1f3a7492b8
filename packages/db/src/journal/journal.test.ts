import type { BuildEvent } from '@seaplane/engine';
import { journalContract } from '@seaplane/engine/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { readEvents } from '../events/read-events.ts';
import { makePool } from '../make-pool.ts';
import { ensureMainTeam } from '../teams/teams.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createJournal } from './journal.ts';

let db: TestDatabase;
let teamId: number;
beforeAll(async () => {
  db = await createTestDatabase();
  teamId = (await ensureMainTeam(db.pool, {})).id;
});
afterAll(() => db[Symbol.asyncDispose]());

async function newBuild(): Promise<number> {
  const plan = { id: '1', do: [] };
  return (await createOneOffBuild(db.pool, { teamId }, { plan, publicPlan: {} })).id;
}

journalContract('the database', async () => {
  const id = await newBuild();
  return {
    open: () => createJournal(db.pool, id),
    clock: async () =>
      Number((await db.pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms')).rows[0].ms),
    events: async () => {
      const { events } = await readEvents(db.pool, id, 1); // the first is its start
      return events.map(({ type, data }) => ({ event: type, data: JSON.parse(data) }) as BuildEvent);
    },
  };
});

function log(payload: string): BuildEvent {
  return { event: 'log', data: { time: 1, origin: { id: '1', source: 'stdout' }, payload } };
}

const startGet: BuildEvent = { event: 'start-get', data: { origin: { id: '1' }, time: 1 } };

async function eventTypes(buildId: number): Promise<string[]> {
  return (await readEvents(db.pool, buildId, 0)).events.map(({ type }) => type);
}

test('[DB-JRN1] records once: the first value stays and is everybody’s', async () => {
  const id = await newBuild();
  const key = { planId: '1', what: 'result' } as const;
  const journal = createJournal(db.pool, id);
  expect(await journal.read(key)).toBeUndefined();
  const answers = await Promise.all([1, 2, 3, 4].map((n) => journal.record(key, { n })));
  expect(new Set(answers.map(({ n }) => n)).size).toBe(1);
  expect(await journal.read(key)).toEqual(answers[0]);
  expect(await createJournal(db.pool, id).record(key, { n: 9 })).toEqual(answers[0]);
  expect(await createJournal(db.pool, id).read({ planId: '1', what: 'sandbox' })).toBeUndefined();
});

test('[DB-JRN10] the time is the database’s, not that of the web', async () => {
  await db.pool.query('CREATE SCHEMA ahead');
  await db.pool.query(
    "CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 day' $$",
  );
  const pool = makePool({ ...db.connection, max: 1, options: '-c search_path=ahead,pg_catalog,public' });
  const now = await createJournal(pool, await newBuild()).now();
  expect(Math.round((now - (await createJournal(db.pool, await newBuild()).now())) / 3_600_000)).toBe(24);
  await pool.end();
});

test('[DB-JRN8] does something once, and records it with it or not at all', async () => {
  const id = await newBuild();
  const other = await newBuild();
  const key = { planId: '1', what: 'pipeline-set' } as const;
  const comment = async (text: string, by = createJournal(db.pool, id)) =>
    by.doOnce(key, async (tx) => {
      await tx.query('UPDATE build SET comment = $2 WHERE id = $1', [other, text]);
      if (text === 'nothing') return undefined;
      if (text === 'failed') throw new Error('no');
      return { text };
    });
  const commented = async () =>
    (await db.pool.query<{ comment: string }>('SELECT comment FROM build WHERE id = $1', [other])).rows[0]?.comment;

  expect(await comment('nothing')).toBeUndefined();
  await expect(comment('failed')).rejects.toThrow('no');
  const earlier = createJournal(db.pool, id);
  await earlier.read(key);
  expect(await comment('first')).toEqual({ text: 'first' });
  expect(await comment('second')).toEqual({ text: 'first' });
  expect(await createJournal(db.pool, id).read(key)).toEqual({ text: 'first' });
  expect(await commented()).toBe('first');
  await expect(comment('late', earlier)).rejects.toMatchObject({ code: 'build-taken-over' });
  expect(await commented()).toBe('first');
});

test('[DB-JRN9] the journal counts the webs in a row that died with it and wrote nothing', async () => {
  const id = await newBuild();
  const key = { planId: '1', what: 'started' } as const;
  /** Takes the pen, as a new web does when the last one is gone. */
  const take = async () => {
    const journal = createJournal(db.pool, id);
    return { journal, deaths: await journal.countDeaths() };
  };
  expect((await take()).deaths).toBe(0);
  expect((await take()).deaths).toBe(1);
  const second = await take();
  expect(second.deaths).toBe(2);
  await second.journal.letGo();
  const third = await take();
  expect(third.deaths).toBe(2); // it did not die
  const fourth = await take();
  expect(fourth.deaths).toBe(3);
  await third.journal.letGo(); // late
  await fourth.journal.letGo();
  expect((await take()).deaths).toBe(2);
  const fifth = await take();
  expect(fifth.deaths).toBe(3);
  await fifth.journal.record(key, {});
  const sixth = await take();
  expect(sixth.deaths).toBe(0);
  const seventh = await take();
  expect(seventh.deaths).toBe(1);
  await seventh.journal.recordSurvival();
  const eighth = await take();
  expect(eighth.deaths).toBe(0);
  await eighth.journal.appendLog('1', [log('x')], { stdout: 1, stderr: 0 });
  expect((await take()).deaths).toBe(0);
});

test('[DB-JRN2] emits an event with a key once, however many ask at once, also after a restart', async () => {
  const id = await newBuild();
  const journal = createJournal(db.pool, id);
  await Promise.all(Array.from({ length: 10 }, (_, n) => journal.emit(`key ${n % 2}`, startGet)));
  expect(await eventTypes(id)).toEqual(['status', 'start-get', 'start-get']);
  await createJournal(db.pool, id).emit('key 1', startGet);
  expect((await readEvents(db.pool, id, 0)).events.map(({ id: number }) => number)).toEqual([0, 1, 2]);
});

test('[DB-JRN3] log events and the position past them are written together or not at all', async () => {
  const id = await newBuild();
  const journal = createJournal(db.pool, id);
  expect(await journal.logPosition('1')).toEqual({ stdout: 0, stderr: 0 });
  await journal.appendLog('1', [log('a'), log('b')], { stdout: 2, stderr: 0 });
  // A value that JSON cannot hold: the events fail, so must the position.
  const broken = { event: 'log', data: { time: 1n } } as unknown as BuildEvent;
  await expect(journal.appendLog('1', [log('c'), broken], { stdout: 4, stderr: 0 })).rejects.toThrow();
  await db.pool.query('ALTER TABLE build_event ADD CONSTRAINT no_d CHECK (data::text NOT LIKE $$%"ddd"%$$)');
  await expect(journal.appendLog('1', [log('ddd')], { stdout: 5, stderr: 0 })).rejects.toThrow('no_d');
  const again = createJournal(db.pool, id);
  expect(await again.logPosition('1')).toEqual({ stdout: 2, stderr: 0 });
  expect(await again.logPosition('2')).toEqual({ stdout: 0, stderr: 0 });
  expect(await eventTypes(id)).toEqual(['status', 'log', 'log']);
  await again.appendLog('1', [], { stdout: 2, stderr: 7 });
  expect(await createJournal(db.pool, id).logPosition('1')).toEqual({ stdout: 2, stderr: 7 });
});

test('[DB-JRN4] any output can be logged: NUL, half a surrogate pair, quotes, long lines', async () => {
  const id = await newBuild();
  const payloads = ['\u0000', '\ud800', '"\\\'{}', 'ß☃😀', 'x'.repeat(200_000)];
  await createJournal(db.pool, id).appendLog('1', payloads.map(log), { stdout: 1, stderr: 0 });
  const { events } = await readEvents(db.pool, id, 1, { bytes: 2 ** 30 });
  expect(events.map(({ data }) => JSON.parse(data).payload)).toEqual(payloads);
});

test('[DB-JRN5] a web that takes a build over is the only writer from then on', async () => {
  const id = await newBuild();
  const first = createJournal(db.pool, id);
  await first.appendLog('1', [log('a')], { stdout: 1, stderr: 0 });
  const second = createJournal(db.pool, id);
  expect(await second.logPosition('1')).toEqual({ stdout: 1, stderr: 0 });
  const takenOver = expect.objectContaining({ code: 'build-taken-over' });
  await expect(first.appendLog('1', [log('b')], { stdout: 2, stderr: 0 })).rejects.toEqual(takenOver);
  await expect(first.emit('k', startGet)).rejects.toEqual(takenOver);
  await expect(first.record({ planId: '1', what: 'result' }, {})).rejects.toEqual(takenOver);
  await expect(first.finish('errored')).rejects.toEqual(takenOver);
  await second.appendLog('1', [log('b')], { stdout: 2, stderr: 0 });
  expect(await second.finish('succeeded')).toBe(true);
  expect(await eventTypes(id)).toEqual(['status', 'log', 'log', 'status']);
});

test('[DB-JRN6] the journal of a build that has ended is closed and gone, its events stay', async () => {
  const id = await newBuild();
  const journal = createJournal(db.pool, id);
  await journal.record({ planId: '1', what: 'result' }, { ok: true });
  await journal.appendLog('1', [log('a')], { stdout: 1, stderr: 0 });
  await finishBuild(db.pool, id, 'aborted');
  const ended = expect.objectContaining({ code: 'build-ended' });
  await expect(journal.emit('k', startGet)).rejects.toEqual(ended);
  await expect(journal.record({ planId: '2', what: 'result' }, {})).rejects.toEqual(ended);
  expect(await journal.finish('failed')).toBe(false);
  await expect(createJournal(db.pool, id).read({ planId: '1', what: 'result' })).rejects.toEqual(ended);
  await expect(createJournal(db.pool, 999_999).logPosition('1')).rejects.toEqual(
    expect.objectContaining({ code: 'not-found' }),
  );
  const { rows } = await db.pool.query(
    'SELECT FROM build_journal WHERE build_id = $1 UNION ALL SELECT FROM build_log_position WHERE build_id = $1',
    [id],
  );
  expect(rows).toHaveLength(0);
  expect(await eventTypes(id)).toEqual(['status', 'log', 'status']);
});

/** One thing that one of several parallel steps does. */
const action = fc.oneof(
  fc.record({ kind: fc.constant('emit' as const), step: fc.nat(3), key: fc.nat(4) }),
  fc.record({ kind: fc.constant('log' as const), step: fc.nat(3), lines: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

test('[DB-JRN7] parallel steps, restarts in between: events are numbered without a gap, each once, logs in their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const id = await newBuild();
      let journal = createJournal(db.pool, id);
      let pending: Promise<void>[] = [];
      const logged = [0, 0, 0, 0];
      const last: Promise<void>[] = [];
      const keys = new Set<string>();
      for (const act of actions) {
        if (act.kind === 'restart') {
          await Promise.all(pending);
          pending = [];
          journal = createJournal(db.pool, id);
          continue;
        }
        const { step } = act;
        if (act.kind === 'emit') {
          keys.add(`${step} ${act.key}`);
          pending.push(journal.emit(`${step} ${act.key}`, startGet));
          continue;
        }
        const from = logged[step] ?? 0;
        logged[step] = from + act.lines;
        const events = Array.from({ length: act.lines }, (_, n) => log(`${step}:${from + n}`));
        const current = journal;
        // A step writes one after another, steps side by side.
        last[step] = (last[step] ?? Promise.resolve()).then(() =>
          current.appendLog(String(step), events, { stdout: from + act.lines, stderr: 0 }),
        );
        pending.push(last[step]);
      }
      await Promise.all(pending);
      const { events } = await readEvents(db.pool, id, 0, { events: 10_000, bytes: 2 ** 30 });
      expect(events.map(({ id: number }) => number)).toEqual(events.map((_, n) => n));
      expect(events.filter(({ type }) => type === 'start-get')).toHaveLength(keys.size);
      const lines = events.filter(({ type }) => type === 'log').map(({ data }) => JSON.parse(data).payload as string);
      for (const [step, count] of logged.entries()) {
        const own = lines.filter((line) => line.startsWith(`${step}:`));
        expect(own).toEqual(Array.from({ length: count }, (_, n) => `${step}:${n}`));
        expect((await createJournal(db.pool, id).logPosition(String(step))).stdout).toBe(count);
      }
    }),
    { numRuns: 25 },
  );
});
