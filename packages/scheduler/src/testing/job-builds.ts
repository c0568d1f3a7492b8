import { finishBuild, type Queryable } from '@seaplane/db';
import type { TestDatabase } from '@seaplane/db/testing';

/** The builds of a job, oldest first, as `NAME STATUS`. */
export async function readStatuses(db: Queryable, jobId: number): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>(
    `SELECT name || ' ' || status AS text FROM build WHERE job_id = $1 ORDER BY id`,
    [jobId],
  );
  return rows.map(({ text }) => text);
}

/** Lets every running build of a job succeed, oldest first. */
export async function finishBuilds(pool: TestDatabase['pool'], jobId: number): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `SELECT id FROM build WHERE job_id = $1 AND status = 'started' ORDER BY id`,
    [jobId],
  );
  for (const { id } of rows) await finishBuild(pool, id, 'succeeded');
}
