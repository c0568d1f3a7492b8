import type { JsonObject, Plan } from '@seaplane/config';
import { announceChange } from '../notifications/changes.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import { announceStarted, sealPlan } from './create-started-build.ts';

/** Starts a pending build. Returns false if it is no longer pending or is to be aborted. */
export function startBuild(
  db: Queryable,
  buildId: number,
  { plan, publicPlan }: { readonly plan: Plan; readonly publicPlan: JsonObject },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ startedAt: Date; pipelineId: number }>(
      `UPDATE build SET status = 'started', started_at = clock_timestamp(), private_plan = $2, public_plan = $3
       WHERE id = $1 AND status = 'pending' AND NOT aborted
       RETURNING started_at AS "startedAt", pipeline_id AS "pipelineId"`,
      [buildId, sealPlan(tx, plan), JSON.stringify(publicPlan)],
    );
    if (!rows[0]) return false;
    await announceStarted(tx, buildId, rows[0].startedAt);
    await announceChange(tx, `pipeline:${rows[0].pipelineId}`);
    return true;
  });
}
