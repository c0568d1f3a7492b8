import type { Plan } from '@seaplane/config';
import { lockKey } from '../locks/lock-key.ts';
import type { Lock, Locks } from '../locks/locks.ts';
import { prepared, type Queryable } from '../queryable.ts';
import { type Build, findBuild, readPrivatePlan } from './build.ts';

/** A started build, which some web must run. */
export interface StartedBuild {
  readonly id: number;
  /** Somebody wants it to stop. */
  readonly aborted: boolean;
  /** Some web has its lock. */
  readonly held: boolean;
  /** Two webs in a row may have died of the build. */
  readonly suspect: boolean;
}

/** Lists started builds, oldest first. The same statement reads which of their locks are held. */
export async function listStartedBuilds(db: Queryable): Promise<StartedBuild[]> {
  const { rows } = await db.query<StartedBuild>(
    prepared(
      `WITH held AS MATERIALIZED (
         SELECT (classid::bigint << 32) | objid::bigint AS key FROM pg_locks
         WHERE locktype = 'advisory' AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       )
       SELECT id, aborted, $1::bigint + id IN (SELECT key FROM held) AS held,
         h.size_when_taken IS NOT NULL AND cardinality(h.deaths) + h.held::integer > 1 AS suspect
       FROM build b JOIN build_journal_head h ON h.build_id = b.id
       WHERE status = 'started' ORDER BY id`,
      [lockKey('build', 0)],
    ),
  );
  return rows;
}

/** A build that this web runs, until it releases the build or loses its lock. */
export interface TrackedBuild extends AsyncDisposable {
  readonly build: Build;
  readonly plan: Plan;
  /** Aborted when the lock is lost. Stop then: another web may run the build already. */
  readonly lost: AbortSignal;
}

/** Takes a started build to run it. Returns undefined if another web has it or it has ended. */
export async function trackBuild(
  db: Queryable,
  locks: Pick<Locks, 'tryAcquire'>,
  buildId: number,
): Promise<TrackedBuild | undefined> {
  const lock = await locks.tryAcquire('build', buildId);
  if (!lock) return undefined;
  try {
    // Read under the lock: the build may have ended while another web had it.
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
