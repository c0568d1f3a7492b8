import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import { finishBuild } from './finish-build.ts';

/**
 * Asks for a build to be stopped. A pending build ends at once; for a running build the web that runs it is notified.
 * Returns false if the build has ended or does not exist.
 */
export function abortBuild(db: Queryable, buildId: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ status: string }>(
      "UPDATE build SET aborted = true WHERE id = $1 AND status IN ('pending', 'started') RETURNING status",
      [buildId],
    );
    const build = rows[0];
    if (!build) return false;
    if (build.status === 'pending') return finishBuild(tx, buildId, 'aborted');
    await notify(tx, 'buildAborted', buildId);
    return true;
  });
}
