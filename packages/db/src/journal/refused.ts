import { DbError } from '../errors.ts';
import type { Queryable } from '../queryable.ts';

/** The reason why a build's journal refused a write. */
export async function refused(db: Queryable, buildId: number): Promise<DbError> {
  const { rows } = await db.query<{ closed: boolean }>('SELECT closed FROM build_journal_head WHERE build_id = $1', [
    buildId,
  ]);
  if (!rows[0]) return new DbError('not-found', `Build ${buildId} has been deleted.`);
  return rows[0].closed
    ? new DbError('build-ended', `Build ${buildId} has ended; nothing more can be written to its journal.`)
    : new DbError(
        'build-taken-over',
        `Another journal of build ${buildId} has been opened: another web runs the build now, or this one has begun again.`,
      );
}
