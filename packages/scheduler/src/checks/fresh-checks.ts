import type { Queryable } from '@seaplane/db';
import type { ScheduledJob } from '../read-job.ts';

export interface WaitingBuild {
  readonly createdAt: Date;
  readonly manuallyTriggered: boolean;
  readonly rerunOf: number | null;
}

export interface AwaitedCheck {
  readonly resourceId: number;
  /** The check runs already. */
  readonly running: boolean;
  /** The resource is checked only when somebody, or a build, asks for it. */
  readonly neverByItself: boolean;
}

const IS_NEVER = `coalesce(resource.check_every = 'never', false)`;

/**
 * The resources that must be checked before a build's inputs are determined (docs/concourse/semantics.md, section 2.3).
 * For a build that somebody triggered: those without a check that ended after the build was created. For the
 * scheduler's own: those it does not trigger on, once their interval has passed; a resource with `check_every: never` is
 * checked for each build. Resources that come through another job, or are pinned, need no check. A version that only the
 * step names may become known by the check.
 */
export async function resourcesToCheckFirst(
  db: Queryable,
  job: Pick<ScheduledJob, 'inputs'>,
  build: WaitingBuild,
): Promise<AwaitedCheck[]> {
  if (build.rerunOf !== null) return [];
  const own = job.inputs.filter(({ passed }) => passed.length === 0);
  const concerned = own.filter(({ trigger }) => build.manuallyTriggered || !trigger);
  if (concerned.length === 0) return [];
  const isFresh = build.manuallyTriggered
    ? 'scope.last_check_ended_at > $2'
    : `CASE WHEN ${IS_NEVER} THEN scope.last_check_ended_at > $2 ELSE scope.next_check_at >= $2 END`;
  const { rows } = await db.query<AwaitedCheck>(
    `SELECT resource.id AS "resourceId", EXISTS (
       SELECT FROM build
       WHERE build.resource_id = resource.id AND build.status = 'started' AND NOT build.aborted
         AND build.created_at > $2) AS running, ${IS_NEVER} AS "neverByItself"
     FROM resource LEFT JOIN resource_scope scope ON scope.id = resource.scope_id
     WHERE resource.id = ANY($1) AND NOT coalesce(${isFresh}, false)
       AND NOT EXISTS (SELECT FROM resource_pin pin WHERE pin.resource_id = resource.id)`,
    [concerned.map(({ resourceId }) => resourceId), build.createdAt],
  );
  return rows;
}
