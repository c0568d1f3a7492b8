import type pg from 'pg';
import type { Place } from '../place/place.ts';
import { type Kubectl, listPods } from '../place/pods.ts';
import type { Violation } from './judge.ts';

/** The kinds of advisory locks that only running builds hold: the top byte of the key (packages/db/src/locks). */
const LOCKS_OF_BUILDS = [1, 5];

/**
 * Everything left in the cluster and in the database though every pipeline was destroyed. Pods that checks share stay for
 * a while; each has a row, and each row a pod.
 */
export async function findLeftovers(place: Kubectl & Pick<Place, 'disk'>, pool: pg.Pool): Promise<Violation[]> {
  const pods = (await listPods(place)).filter(({ component }) => component === 'step');
  // A sandbox that its worker does not have is remembered for five minutes, and marked as missing.
  const { rows: sandboxes } = await pool.query<{ handle: string; shared: boolean }>(
    'SELECT handle, shared FROM sandbox WHERE missing_since IS NULL',
  );
  const { rows: builds } = await pool.query<{ id: string; status: string }>(
    'SELECT id, status FROM build WHERE NOT completed',
  );
  const { rows: locks } = await pool.query<{ kind: number; key: string }>(
    `SELECT classid::bigint >> 24 AS kind, classid || '/' || objid AS key
     FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint >> 24 = ANY ($1)`,
    [LOCKS_OF_BUILDS],
  );
  const { rows: artifacts } = await pool.query<{ id: string }>(
    'SELECT id FROM artifact WHERE build_id IS NOT NULL AND NOT EXISTS (SELECT FROM build WHERE build.id = build_id)',
  );
  const { rows: stored } = await pool.query<{ id: string }>('SELECT id FROM artifact WHERE stored');
  const inStore = new Set(await place.disk.artifacts());
  const shared = new Set(sandboxes.filter((row) => row.shared).map(({ handle }) => handle));
  const left = (step: string, expected: string, seen: string): Violation => ({ build: '-', step, expected, seen });
  return [
    ...pods
      .filter(({ name }) => !shared.has(name))
      .map(({ name, step, phase, goes }) =>
        left(step, 'no pod of a build that is gone', `${name}, ${goes ? 'terminating' : phase}`),
      ),
    ...sandboxes
      .filter((row) => !row.shared || !pods.some(({ name }) => name === row.handle))
      .map(({ handle }) => left('-', 'no row of a sandbox without its pod or its build', `sandbox ${handle}`)),
    ...builds.map(({ id, status }) => left('-', 'no unfinished build', `build ${id} is ${status}`)),
    ...locks.map(({ kind, key }) => left('-', 'no lock of a build', `advisory lock ${key} of kind ${kind}`)),
    ...stored
      .filter(({ id }) => !inStore.has(id))
      .map(({ id }) => left('-', 'no row of a stored artifact that the store does not have', `artifact ${id}`)),
    ...artifacts.map(({ id }) => left('-', 'no artifact of a build that is gone', `artifact ${id}`)),
  ];
}
