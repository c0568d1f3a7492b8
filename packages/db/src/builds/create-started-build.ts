import type { JsonObject, Plan } from '@seaplane/config';
import { DbError } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import { announceChange } from '../notifications/changes.ts';
import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
import { type Build, findBuild } from './build.ts';

export interface PlannedBuild {
  readonly plan: Plan;
  readonly publicPlan: JsonObject;
  readonly createdBy?: string;
}

/**
 * Creates a build of a plan that a user sent (`fly execute`), of a team or of one of its pipelines. It starts at once.
 */
export function createOneOffBuild(
  db: Queryable,
  owner: { readonly teamId: number; readonly pipelineId?: number },
  { plan, publicPlan, createdBy }: PlannedBuild,
): Promise<Build> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ id: number; startedAt: Date }>(
      `WITH created AS (
         INSERT INTO build (name, team_id, pipeline_id, status, started_at, created_by, private_plan, public_plan)
         VALUES (nextval('one_off_build_name')::text, $1, $2, 'started', clock_timestamp(), $3, $4, $5)
         RETURNING id, started_at
       ), head AS (
         INSERT INTO build_journal_head (build_id) SELECT id FROM created
       )
       SELECT id, started_at AS "startedAt" FROM created`,
      [owner.teamId, owner.pipelineId, createdBy, sealPlan(tx, plan), JSON.stringify(publicPlan)],
    );
    await announceChange(tx, `team:${owner.teamId}`);
    return announceNewBuild(tx, rows[0]);
  });
}

/** The subject of a check. */
export type Checkable =
  | { readonly resourceId: number }
  | { readonly resourceTypeId: number }
  | { readonly prototypeId: number };

export interface CheckBuild extends PlannedBuild {
  /** Somebody asked for the check. If nobody did, no check is created while another of the same subject runs. */
  readonly manuallyTriggered: boolean;
}

/** Creates a build that checks one thing of a pipeline. It starts at once. Returns undefined if no check is created. */
export function createCheckBuild(db: Queryable, of: Checkable, check: CheckBuild): Promise<Build | undefined> {
  const [table, column, id] = checked(of);
  return inTransaction(db, async (tx) => {
    const locked = await tx.query(`SELECT FROM ${table} WHERE id = $1 AND active FOR NO KEY UPDATE`, [id]);
    if (locked.rowCount === 0) throw new DbError('not-found', 'The resource or type to check has been deleted.');
    const { rows } = await tx.query<{ id: number; startedAt: Date }>(
      `WITH created AS (
         INSERT INTO build (name, team_id, pipeline_id, ${column}, status, started_at, manually_triggered, created_by,
           private_plan, public_plan)
         SELECT 'check', p.team_id, p.id, c.id, 'started', clock_timestamp(), $2, $3, $4, $5
         FROM ${table} c JOIN pipeline p ON p.id = c.pipeline_id
         WHERE c.id = $1 AND ($2 OR NOT EXISTS (
           SELECT FROM build WHERE ${column} = $1 AND status IN ('pending', 'started') AND NOT aborted))
         RETURNING id, started_at
       ), head AS (
         INSERT INTO build_journal_head (build_id) SELECT id FROM created
       )
       SELECT id, started_at AS "startedAt" FROM created`,
      [id, check.manuallyTriggered, check.createdBy, sealPlan(tx, check.plan), JSON.stringify(check.publicPlan)],
    );
    return rows[0] && announceNewBuild(tx, rows[0]);
  });
}

export function sealPlan(tx: Queryable, plan: Plan): string {
  return vaultOf(tx).seal('build.private_plan', plan);
}

function checked(of: Checkable): [table: string, column: string, id: number] {
  if ('resourceId' in of) return ['resource', 'resource_id', of.resourceId];
  if ('resourceTypeId' in of) return ['resource_type', 'resource_type_id', of.resourceTypeId];
  return ['prototype', 'prototype_id', of.prototypeId];
}

async function announceNewBuild(tx: Queryable, row: { id: number; startedAt: Date } | undefined): Promise<Build> {
  const build = row && (await findBuild(tx, row.id));
  if (!build) throw new Error('a build was made and is not there');
  await announceStarted(tx, row.id, row.startedAt);
  return build;
}

/** Appends the event that a build has started, and notifies the webs, which run builds. */
export async function announceStarted(tx: Queryable, buildId: number, startedAt: Date): Promise<void> {
  const time = Math.floor(startedAt.getTime() / 1000);
  await appendEvents(tx, buildId, [{ event: 'status', data: { status: 'started', time } }]);
  await notify(tx, 'buildStarted', buildId);
}
