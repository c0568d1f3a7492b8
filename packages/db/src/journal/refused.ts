import { DbError } from '../errors.ts';
import type { Queryable } from '../queryable.ts';

/** Why a build's journal did not take what was written. */
export async function refused(db: Queryable, buildId: number): Promise<DbError> {
  const { rows } = await db.query<{ closed: boolean }>('SELECT closed FROM build_journal_head WHERE build_id = $1', [
    buildId,
  ]);
  if (!rows[0]) return new DbError('not-found', `Build ${buildId} has been deleted.`);
  return rows[0].closed
    ? new DbError('build-ended', `Build ${buildId} has ended; nothing more can be written to its journal.`)
    : new DbError('build-taken-over', `Build ${buildId} is run by another web now, or by this one anew.`);
}
