import { requestSchedule } from '../jobs/request-schedule.ts';
import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';

/**
 * Asks for a build to be stopped. Whoever runs it hears of it; the scheduler ends one that is still pending. False: it
 * has ended, or there is none.
 */
export function abortBuild(db: Queryable, buildId: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ status: string; jobId: number | null }>(
      `UPDATE build SET aborted = true WHERE id = $1 AND status IN ('pending', 'started')
       RETURNING status, job_id AS "jobId"`,
      [buildId],
    );
    const build = rows[0];
    if (!build) return false;
    if (build.status === 'pending' && build.jobId !== null) await requestSchedule(tx, [build.jobId]);
    await notify(tx, 'buildAborted', buildId);
    return true;
  });
}

/** Whether somebody wants the build to stop. To be asked again whenever `buildAborted` is heard. */
export async function isAborted(db: Queryable, buildId: number): Promise<boolean> {
  const { rows } = await db.query<{ aborted: boolean }>('SELECT aborted FROM build WHERE id = $1', [buildId]);
  return rows[0]?.aborted ?? true;
}
