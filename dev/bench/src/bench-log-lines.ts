import { createJournal, createOneOffBuild, type Database, EventAnnouncer, ensureMainTeam } from '@seaplane/db';
import { type StepIo, walkBuild } from '@seaplane/engine';
import { memorySeams, newWorld, TEST_BUILD } from '@seaplane/engine/testing';
import { systemClock } from '@seaplane/orchestrator';
import { type AloneOptions, inTurns, time, withBenchDatabase } from './bench-database.ts';
import { median } from './median.ts';
import { table } from './table.ts';

type Pool = Database['pool'];

const BUILDS = 40;
const STEPS = 5;
const APPENDS = 20;
/** The output of a step that prints 500 lines a second, in a tenth of one. */
const LINES = 50;
const GOAL = 100_000;
const TOTAL = BUILDS * STEPS * APPENDS * LINES;

/**
 * How many lines a second go from 200 steps into the database, through engine and journal: each step prints 50 lines of 80
 * bytes when its last ones are committed. Beside it, in turn: appends that notify in their own transaction, and appends
 * that do not wait for the disk.
 */
export function benchLogLines(options: AloneOptions): Promise<string> {
  return withBenchDatabase(options.signal, async ({ backgroundPool: pool }) => {
    const { id: teamId } = await ensureMainTeam(pool, {});
    await using announcer = new EventAnnouncer({ pool, clock: systemClock });
    const announce = (buildId: number) => announcer.announce(buildId);

    const printed = async (db: Pool, announced: typeof announce) => {
      const ids: number[] = [];
      for (let n = 0; n < BUILDS; n++) ids.push((await createOneOffBuild(pool, { teamId }, PLANNED)).id);
      const elapsed = await time(() => Promise.all(ids.map((id) => walk(db, id, announced))));
      await pool.query('DELETE FROM build');
      return elapsed;
    };
    const silent = () => {};
    const notifying = withEnding(pool, "SELECT pg_notify('seaplane_build_events', $1::text) FROM head");
    const careless = withEnding(pool, "SELECT set_config('synchronous_commit', 'off', true) FROM head");
    const times = await inTurns(options, {
      plain: () => printed(notifying, silent),
      web: () => printed(pool, announce),
      careless: () => printed(careless, announce),
    });
    const row = (name: string, measured: readonly number[], goal = '') => {
      const rate = (TOTAL / median(measured)) * 1000;
      return [name, rate.toFixed(0), (median(times.plain) / median(measured)).toFixed(1), goal];
    };
    return table([
      ['lines of 200 steps', 'in a second', 'ratio', 'goal'],
      row('each append notifies', times.plain),
      row('as web does', times.web, String(GOAL)),
      row('and without waiting for the disk', times.careless),
    ]);
  });
}

const CONFIG = { platform: 'linux', rootfs_uri: 'docker:///busybox', run: { path: 'print' } };
const PLANNED = {
  plan: {
    id: '0',
    in_parallel: {
      steps: Array.from({ length: STEPS }, (_, n) => ({
        id: String(n + 1),
        task: { name: 'print', privileged: false, config: CONFIG },
      })),
    },
  },
  publicPlan: {},
};

async function walk(pool: Pool, id: number, announce: (buildId: number) => void): Promise<void> {
  const journal = createJournal(pool, id, announce);
  const seams = memorySeams(newWorld({}), journal, systemClock);
  const orchestrator = {
    ...seams.orchestrator,
    async task({ output }: StepIo) {
      await output.position();
      const bytes = Buffer.from(`${'x'.repeat(79)}\n`.repeat(LINES));
      for (let append = 0; append < APPENDS; append++) {
        await output.write('stdout', bytes);
        await output.flush();
      }
      return { exitStatus: 0, outputs: {} };
    },
  };
  const { signal } = new AbortController();
  const info = { ...TEST_BUILD, id };
  const { status } = await walkBuild({ ...seams, orchestrator }, info, PLANNED.plan, { abort: signal, drain: signal });
  if (status !== 'succeeded') throw new Error(`build ${id} ended as ${status}`);
}

/** A pool whose appends to logs end with another statement. */
function withEnding(pool: Pool, ending: string): Pool {
  return Object.assign(Object.create(pool), {
    query: (config: { readonly name?: string; readonly text: string }, ...rest: []) => {
      if (config.name !== 'journal-append-log') return pool.query(config, ...rest);
      const text = config.text.replace('SELECT FROM head', ending);
      return pool.query({ ...config, text, name: ending.slice(0, 40) });
    },
  });
}
