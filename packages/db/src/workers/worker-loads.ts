import type { SandboxRow, WorkerLimits, WorkerLoad } from '@seaplane/orchestrator';
import { inTransaction, type Queryable } from '../queryable.ts';
import { FINISHED } from './finished-sandboxes.ts';
import { recordSandbox } from './record-sandbox.ts';

/** Of a sandbox `s` in build `b`: a task that has not ended. */
export const ACTIVE_TASK = `(s.type = 'task' AND s.state IN ('creating', 'created') AND s.ended_at IS NULL
  AND b.id IS NOT NULL AND NOT ${FINISHED})`;

/** How much each of these workers has. */
export async function findWorkerLoads(
  db: Queryable,
  workers: readonly string[],
): Promise<ReadonlyMap<string, WorkerLoad>> {
  const { rows } = await db.query<WorkerLoad & { worker: string }>(
    `SELECT w.name AS worker, s.tasks::int, s.all::int AS sandboxes, s.of_builds::int AS "buildSandboxes",
       ((SELECT count(*) FROM artifact a WHERE a.worker_name = w.name AND a.stored)
         + (SELECT count(*) FROM artifact_copy c WHERE c.worker_name = w.name))::int AS artifacts
     FROM unnest($1::text[]) AS w (name)
     CROSS JOIN LATERAL (
       SELECT count(*) AS all, count(s.build_id) AS of_builds, count(*) FILTER (WHERE ${ACTIVE_TASK}) AS tasks
       FROM sandbox s LEFT JOIN build b ON b.id = s.build_id
       WHERE s.worker_name = w.name AND s.state <> 'destroying') s`,
    [workers],
  );
  return new Map(rows.map(({ worker, ...load }) => [worker, load]));
}

/**
 * Records a sandbox unless its worker has as much as the limits allow. Statements about one worker wait for each other, so
 * that two steps do not take the last place.
 */
export function recordSandboxWithin(
  db: Queryable,
  row: SandboxRow,
  limits: WorkerLimits,
): Promise<SandboxRow | undefined> {
  return inTransaction(db, async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('placement of ' || $1, 0))", [row.worker]);
    const { rowCount } = await tx.query('SELECT FROM sandbox WHERE handle = $1', [row.handle]);
    const load = (await findWorkerLoads(tx, [row.worker])).get(row.worker);
    if (rowCount === 0 && load && isFull(load, limits)) return undefined;
    return recordSandbox(tx, row);
  });
}

function isFull(load: WorkerLoad, { tasks, sandboxes, artifacts }: WorkerLimits): boolean {
  const reached = (has: number, most: number | undefined) => most !== undefined && has >= most;
  return reached(load.tasks, tasks) || reached(load.sandboxes, sandboxes) || reached(load.artifacts, artifacts);
}

/** Records that the step of a sandbox has ended, before the build's journal says so. */
export async function markStepEnded(db: Queryable, handle: string): Promise<void> {
  await db.query('UPDATE sandbox SET ended_at = now() WHERE handle = $1', [handle]);
}
