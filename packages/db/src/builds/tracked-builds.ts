import type { Plan } from '@seaplane/config';
import type { Lock, Locks } from '../locks/locks.ts';
import type { Queryable } from '../queryable.ts';
import { type Build, findBuild, readPrivatePlan } from './build.ts';

/** Builds that somebody must run, oldest first. */
export async function listStartedBuilds(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>("SELECT id FROM build WHERE status = 'started' ORDER BY id");
  return rows.map(({ id }) => id);
}

/** A build that this web runs, until it lets go of it or loses it. */
export interface TrackedBuild extends AsyncDisposable {
  readonly build: Build;
  readonly plan: Plan;
  /** Aborted when the lock is lost: stop, as another web may run the build by now. */
  readonly lost: AbortSignal;
}

/** Takes a started build to run it. Nothing: another web has it, or it does not run. */
export async function trackBuild(
  db: Queryable,
  locks: Pick<Locks, 'tryAcquire'>,
  buildId: number,
): Promise<TrackedBuild | undefined> {
  const lock = await locks.tryAcquire('build', buildId);
  if (!lock) return undefined;
  try {
    // Read under the lock: it may have ended while another web had it.
    const build = await findBuild(db, buildId);
    const plan = build?.status === 'started' ? await readPrivatePlan(db, buildId) : undefined;
    if (build && plan) return tracked(build, plan, lock);
    await lock.release();
    return undefined;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function tracked(build: Build, plan: Plan, lock: Lock): TrackedBuild {
  return { build, plan, lost: lock.lost, [Symbol.asyncDispose]: () => lock.release() };
}
