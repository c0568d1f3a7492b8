import type pg from 'pg';
import type { Place } from '../place/place.ts';
import { type Kubectl, listPods, type ShownPod } from '../place/pods.ts';
import type { Violation } from './judge.ts';

/** The kinds of advisory locks that only running builds hold: the top byte of the key (packages/db/src/locks). */
const LOCKS_OF_BUILDS = [1, 5];

/** Everything that cluster, store and database have. */
export interface Remains {
  /** The pods of steps. */
  readonly pods: readonly Pick<ShownPod, 'name' | 'step' | 'phase' | 'goes'>[];
  /** Rows, but for those of sandboxes that are marked as missing: they are remembered for five minutes. */
  readonly sandboxes: readonly { readonly handle: string; readonly shared: boolean }[];
  readonly unfinishedBuilds: readonly { readonly id: string; readonly status: string }[];
  readonly locks: readonly { readonly kind: number; readonly key: string }[];
  /** `orphan`: the build that made the artifact is gone. */
  readonly artifacts: readonly { readonly id: string; readonly stored: boolean; readonly orphan: boolean }[];
  /** The ids of the artifacts that the store has. */
  readonly inStore: readonly string[];
}

export async function readRemains(place: Kubectl & Pick<Place, 'disk'>, pool: pg.Pool): Promise<Remains> {
  // The store before the database: an artifact that is stored in between has its row already.
  const inStore = await place.disk.artifacts();
  const pods = (await listPods(place)).filter(({ component }) => component === 'step');
  const { rows: sandboxes } = await pool.query<{ handle: string; shared: boolean }>(
    'SELECT handle, shared FROM sandbox WHERE missing_since IS NULL',
  );
  const { rows: unfinishedBuilds } = await pool.query<{ id: string; status: string }>(
    'SELECT id, status FROM build WHERE NOT completed',
  );
  const { rows: locks } = await pool.query<{ kind: number; key: string }>(
    `SELECT classid::bigint >> 24 AS kind, classid || '/' || objid AS key
     FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint >> 24 = ANY ($1)`,
    [LOCKS_OF_BUILDS],
  );
  const { rows: artifacts } = await pool.query<{ id: string; stored: boolean; orphan: boolean }>(
    `SELECT id, stored, build_id IS NOT NULL AND NOT EXISTS (SELECT FROM build WHERE build.id = build_id) AS orphan
     FROM artifact`,
  );
  return { pods, sandboxes, unfinishedBuilds, locks, artifacts, inStore };
}

/**
 * Finds what is left though every pipeline was destroyed. Pods that checks share stay for a while; each has a row, and
 * each row a pod. Pure.
 */
export function judgeRemains(remains: Remains): Violation[] {
  const { pods, sandboxes, unfinishedBuilds, locks, artifacts } = remains;
  const inStore = new Set(remains.inStore);
  const shared = new Set(sandboxes.filter((row) => row.shared).map(({ handle }) => handle));
  return [
    ...pods
      .filter(({ name }) => !shared.has(name))
      .map(({ name, step, phase, goes }) =>
        left('no pod of a build that is gone', `${name}, ${goes ? 'terminating' : phase}`, step),
      ),
    ...sandboxes
      .filter((row) => !row.shared || !pods.some(({ name }) => name === row.handle))
      .map(({ handle }) => left('no row of a sandbox without its pod or its build', `sandbox ${handle}`)),
    ...unfinishedBuilds.map(({ id, status }) => left('no unfinished build', `build ${id} is ${status}`)),
    ...locks.map(({ kind, key }) => left('no lock of a build', `advisory lock ${key} of kind ${kind}`)),
    ...artifacts
      .filter(({ id, stored }) => stored && !inStore.has(id))
      .map(({ id }) => left('no row of a stored artifact that the store does not have', `artifact ${id}`)),
    ...artifacts
      .filter(({ orphan }) => orphan)
      .map(({ id }) => left('no artifact of a build that is gone', `artifact ${id}`)),
    ...unknownArtifacts(remains).map((id) =>
      left('no artifact in the store that the database does not know', `artifact ${id}`),
    ),
  ];
}

/** The artifacts of the store that have no row. The collector deletes each when it has been unknown for an hour. */
export function unknownArtifacts({ artifacts, inStore }: Pick<Remains, 'artifacts' | 'inStore'>): string[] {
  const known = new Set(artifacts.map(({ id }) => id));
  return inStore.filter((id) => !known.has(id));
}

function left(expected: string, seen: string, step = '-'): Violation {
  return { build: '-', step, expected, seen };
}
