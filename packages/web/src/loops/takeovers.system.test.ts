import { createOneOffBuild, ensureMainTeam, findBuild, Locks, listStartedBuilds } from '@seaplane/db';
import { createTestDatabase, readEvents } from '@seaplane/db/testing';
import { manualClock, memorySeams, newWorld } from '@seaplane/engine/testing';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { BuildTracker } from './build-tracker.ts';

const PATIENCE = { timeout: 30_000 };
const signal = new AbortController().signal;

/** A pool whose process can be killed, or cut off from the database for a while. */
function severable(pool: pg.Pool): { readonly pool: pg.Pool; severed: boolean } {
  const state = {
    severed: false,
    pool: new Proxy(pool, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (state.severed && (key === 'query' || key === 'connect'))
            return Promise.reject(new Error('no connection'));
          return value.apply(target, args);
        };
      },
    }),
  };
  return state;
}

/** A build with one task, which prints nothing and runs for ever, and the webs that run it one after the other. */
async function fixture() {
  await using stack = new AsyncDisposableStack();
  const { pool } = stack.use(await createTestDatabase());
  const world = newWorld({ wait: { untilInterrupted: '' } });
  const clock = manualClock();
  const { id: teamId } = await ensureMainTeam(pool, {});
  const config = { platform: 'linux', rootfs_uri: 'docker:///busybox', run: { path: 'wait' } };
  const plan = { id: '1', task: { name: 'wait', privileged: false, config } };
  const { id } = await createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} });
  const addBuild = async () =>
    (await createOneOffBuild(pool, { teamId }, { plan: { ...plan, id: '2' }, publicPlan: {} })).id;
  const deathsOf = async (buildId: number) =>
    (
      await pool.query<{ deaths: number }>(
        'SELECT cardinality(deaths) AS deaths FROM build_journal_head WHERE build_id = $1',
        [buildId],
      )
    ).rows[0]?.deaths;
  const status = async () => (await findBuild(pool, id))?.status;

  const attachedTo = (planId: string) => world.processes.get(planId)?.attached ?? 0;
  /** Nothing is written to the journal after this. */
  const hasStarted = async (planId: string) => {
    const { rowCount } = await pool.query('SELECT FROM build_event WHERE key = $1', [`${planId}/start-task`]);
    return rowCount === 1;
  };

  /** Starts a web and waits until it has resumed the tasks, or has ended the first build. */
  const startWeb = async (...planIds: string[]) => {
    const connection = severable(pool);
    const locks = new Locks(pool);
    const tracker = new BuildTracker({
      pool: connection.pool,
      locks,
      clock,
      externalUrl: 'http://test',
      announceEvents: () => {},
      seamsFor: (_build, journal) => memorySeams(world, journal, clock),
      onError: () => {},
    });
    const before = new Map(planIds.map((planId) => [planId, attachedTo(planId)]));
    const look = () => tracker.component.look(signal, () => {});
    await look();
    const resumed = async () => {
      if ((await status()) !== 'started') return true;
      const each = planIds.map(
        async (planId) => attachedTo(planId) > (before.get(planId) ?? 0) && (await hasStarted(planId)),
      );
      return (await Promise.all(each)).every(Boolean);
    };
    await expect.poll(resumed, PATIENCE).toBe(true);
    const sever = async () => {
      connection.severed = true;
      await locks.close();
    };
    return {
      look,
      sever,
      reconnect: () => {
        connection.severed = false;
      },
      kill: async () => {
        await sever();
        await tracker[Symbol.asyncDispose]();
      },
      stop: async () => {
        await tracker[Symbol.asyncDispose]();
        await locks.close();
      },
    };
  };
  const parts = stack.move();
  return {
    pool,
    addBuild,
    deathsOf,
    world,
    clock,
    id,
    status,
    startWeb,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

test('[ROOM14] a build of which three webs in a row died is ended, and its error event says so', async () => {
  await using here = await fixture();
  // The first web has begun the task, which is progress. The others write nothing.
  for (let life = 0; life < 4; life++) {
    await (await here.startWeb('1')).kill();
    expect(await here.status()).toBe('started');
  }
  const last = await here.startWeb('1');
  expect(await here.status()).toBe('errored');
  const { events } = await readEvents(here.pool, here.id, 0);
  const errors = events.filter(({ type }) => type === 'error').map(({ data }) => JSON.parse(data).message as string);
  expect(errors).toEqual([expect.stringContaining('3 webs in a row died soon after they took it')]);
  expect(here.world.processes.get('1')?.attached).toBe(4);
  await last.stop();
});

test('[ROOM14] a build that runs beside one that ends its webs is not ended with it', async () => {
  await using here = await fixture();
  const beside = await here.addBuild();
  for (let life = 0; life < 3; life++) await (await here.startWeb('1', '2')).kill();
  const fourth = await here.startWeb('1'); // runs one of the two
  expect((await listStartedBuilds(here.pool)).map(({ held }) => held)).toEqual([true, false]);
  await here.clock.advance(10_000);
  await fourth.look();
  await fourth.look();
  expect((await listStartedBuilds(here.pool)).map(({ held }) => held)).toEqual([true, true]);
  await expect.poll(() => here.deathsOf(beside), PATIENCE).toBe(2);
  await fourth.kill(); // by the second
  const fifth = await here.startWeb('1');
  await expect.poll(async () => (await findBuild(here.pool, beside))?.status, PATIENCE).toBe('errored');
  expect(await here.status()).toBe('started');
  await fifth.stop();
});

test('[ROOM14] webs that die while the build makes progress do not count', async () => {
  await using here = await fixture();
  for (let life = 0; life < 6; life++) {
    here.world.scripts['wait'] = { stdout: 'line\n'.repeat(life), untilInterrupted: '' };
    await (await here.startWeb('1')).kill();
  }
  expect(await here.status()).toBe('started');
});

test('[ROOM14] webs that stop cleanly do not count', async () => {
  await using here = await fixture();
  for (let life = 0; life < 6; life++) await (await here.startWeb('1')).stop();
  expect(await here.status()).toBe('started');
});

test('[ROOM14] webs that die long after they took the build do not count', async () => {
  await using here = await fixture();
  for (let life = 0; life < 6; life++) {
    const web = await here.startWeb('1');
    await here.clock.advance(10_000);
    await web.look();
    await web.kill();
  }
  expect(await here.status()).toBe('started');
});

test('[ROOM14] webs that only lose their connection to the database do not count', async () => {
  await using here = await fixture();
  const alive = [];
  for (let life = 0; life < 6; life++) {
    const web = await here.startWeb('1');
    await web.sever();
    alive.push(web);
    if (life === 0) continue;
    // The web before this one is connected again, and finds its build taken.
    const before = alive[life - 1];
    before?.reconnect();
    await before?.look().catch(() => {});
  }
  expect(await here.status()).toBe('started');
  for (const web of alive) await web.stop();
});
