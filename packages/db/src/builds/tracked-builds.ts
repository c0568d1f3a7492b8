import type { Plan } from '@seaplane/config';
import { lockKey } from '../locks/lock-key.ts';
import type { Lock, Locks } from '../locks/locks.ts';
import { prepared, type Queryable } from '../queryable.ts';
import { type Build, findBuilds, readPrivatePlans } from './build.ts';

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

/** Takes started builds to run them. Leaves out those that another web has, and those that have ended. */
export async function trackBuilds(
  db: Queryable,
  locks: Pick<Locks, 'tryAcquire'>,
  ids: readonly number[],
): Promise<TrackedBuild[]> {
  const asked = await Promise.allSettled(ids.map((id) => locks.tryAcquire('build', id)));
  const held = new Map<number, Lock>();
  for (const [n, id] of ids.entries()) {
    const answer = asked[n];
    if (answer?.status === 'fulfilled' && answer.value) held.set(id, answer.value);
  }
  const taken: TrackedBuild[] = [];
  try {
    for (const answer of asked) if (answer.status === 'rejected') throw answer.reason;
    // Read under the locks: a build may have ended while another web had it.
    if (held.size > 0) {
      const [builds, plans] = [await findBuilds(db, [...held.keys()]), await readPrivatePlans(db, [...held.keys()])];
      for (const build of builds) {
        const [lock, plan] = [held.get(build.id), plans.get(build.id)];
        if (build.status !== 'started' || !plan || !lock) continue;
        taken.push({ build, plan, lost: lock.lost, [Symbol.asyncDispose]: () => lock.release() });
        held.delete(build.id);
      }
    }
    return taken;
  } finally {
    await Promise.all([...held.values()].map((lock) => lock.release()));
  }
}
