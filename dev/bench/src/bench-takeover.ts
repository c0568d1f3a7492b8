import { createJournal, createOneOffBuild, ensureMainTeam, Locks, trackBuilds } from '@seaplane/db';
import { memorySeams, newWorld } from '@seaplane/engine/testing';
import { systemClock } from '@seaplane/orchestrator';
import { BuildTracker } from '@seaplane/web/testing';
import type { AloneOptions } from './bench-database.ts';
import { inTurns, time, withBenchDatabase } from './bench-database.ts';
import { median } from './median.ts';
import { table } from './table.ts';

const BUILDS = 1_000;
/** A web notices within 1.5 seconds that another one died, and all builds go on within three. */
const GOAL_MS = 1_500;

/**
 * How long a web takes to resume 1,000 builds that another web has left, each in the middle of a task. Beside it the plain
 * way, without the walk: each build is locked, read and opened after the one before.
 */
export function benchTakeover(options: AloneOptions): Promise<string> {
  return withBenchDatabase(options.signal, async ({ backgroundPool: pool }) => {
    const { id: teamId } = await ensureMainTeam(pool, {});
    const ids: number[] = [];
    for (let n = 1; n <= BUILDS; n++) {
      const config = { platform: 'linux', rootfs_uri: 'docker:///busybox', run: { path: 'wait' } };
      const plan = { id: String(n), task: { name: 'wait', privileged: false, config } };
      ids.push((await createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} })).id);
    }
    await pool.query('ANALYZE');
    const world = newWorld({ wait: { untilInterrupted: '' } });
    const attached = () => [...world.processes.values()].reduce((sum, process) => sum + process.attached, 0);

    const plainly = async () => {
      await using locks = new Locks(pool);
      return await time(async () => {
        for (const id of ids) {
          await trackBuilds(pool, locks, [id]);
          const journal = createJournal(pool, id);
          await journal.countDeaths();
          await journal.letGo();
        }
      });
    };
    const asWeb = async () => {
      await using locks = new Locks(pool);
      await using tracker = new BuildTracker({
        pool,
        locks,
        clock: systemClock,
        externalUrl: 'http://bench',
        announceEvents: () => {},
        seamsFor: (_build, journal) => memorySeams(world, journal, systemClock),
        onError: (error) => console.error(error),
      });
      const wanted = attached() + BUILDS;
      return await time(async () => {
        await tracker.component.look(options.signal, () => {});
        while (attached() < wanted) await new Promise((resolve) => setTimeout(resolve, 2));
      });
    };
    const { plain, web } = await inTurns(options, { plain: plainly, web: asWeb });
    return table([
      [`${BUILDS} builds taken over`, 'milliseconds', 'ratio', 'goal'],
      ['one after another', median(plain).toFixed(0), '1.0', ''],
      [
        'as web takes them, until all tasks go on',
        median(web).toFixed(0),
        (median(plain) / median(web)).toFixed(1),
        String(GOAL_MS),
      ],
    ]);
  });
}
