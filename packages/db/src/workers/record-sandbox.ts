import type { BuildPen, SandboxRow } from '@seaplane/orchestrator';
import { oneRow, type Queryable } from '../queryable.ts';

/**
 * Records a sandbox before it is made, so that it can always be found and collected. Idempotent by its handle: the
 * first row holds and is returned. For a shared sandbox the resource that is checked in it is recorded too.
 */
export async function recordSandbox(db: Queryable, row: SandboxRow): Promise<SandboxRow> {
  const { handle, worker, owner, labels, workingDirectory, user, config } = row;
  const result = await db.query<Pick<SandboxRow, 'worker' | 'labels' | 'workingDirectory' | 'user'>>(
    `WITH recorded AS (
       INSERT INTO sandbox (handle, worker_name, state, team_id, build_id, plan_id, shared, type, step_name, attempt,
         working_directory, username, labels, config_id)
       VALUES ($1, $2, 'creating',
         -- The team may have been renamed since the build started, and the label has its former name.
         coalesce(
           (SELECT team_id FROM build WHERE id = coalesce($4, $12::bigint)),
           (SELECT id FROM team WHERE name = $3)),
         $4, $5, $4::bigint IS NULL, $6, $7, $8, $9, $10, $11::json, $13)
       ON CONFLICT (handle) DO UPDATE SET
         last_used_at = now(),
         -- A shared sandbox that was to be destroyed is wanted again, and is made again if need be.
         state = CASE WHEN sandbox.shared AND sandbox.state = 'destroying' THEN 'creating' ELSE sandbox.state END
       RETURNING handle, worker_name, labels, working_directory, username
     ), checked AS (
       INSERT INTO sandbox_resource (handle, resource_id)
       SELECT r.handle, b.resource_id FROM recorded r JOIN build b ON b.id = $12 AND b.resource_id IS NOT NULL
       ON CONFLICT DO NOTHING
     )
     SELECT worker_name AS worker, labels, working_directory AS "workingDirectory", username AS "user" FROM recorded`,
    [
      handle,
      worker,
      labels.team,
      owner?.buildId,
      owner?.planId,
      labels.type,
      labels.step,
      labels.attempt ?? '',
      workingDirectory,
      user,
      JSON.stringify(labels),
      owner ? null : labels.buildId,
      config,
    ],
  );
  return { ...row, ...oneRow(result) };
}

/**
 * Records that a process may run in the sandbox from now on, and its user. Returns false, and records nothing, if the pen
 * is not the build's any more, the build has ended, or the sandbox is to be destroyed. The lock on the journal's head makes
 * a web that takes the build over wait for this statement.
 */
export async function markSandboxCreated(
  db: Queryable,
  handle: string,
  user: string,
  { buildId, writer }: BuildPen,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `WITH pen AS (SELECT FROM build_journal_head WHERE build_id = $3 AND writer = $4 AND NOT closed FOR SHARE)
     UPDATE sandbox SET state = 'created', reason = NULL, username = $2 FROM pen
     WHERE handle = $1 AND state <> 'destroying'`,
    [handle, user, buildId, writer],
  );
  return rowCount === 1;
}

/**
 * Records why a sandbox does not run. Its row is kept as long as those of other sandboxes. A step's sandbox that was
 * created stays so: a process may have run in it, and must not run again in a new one. In a shared sandbox it may.
 */
export async function markSandboxFailed(db: Queryable, handle: string, reason: string): Promise<void> {
  await db.query(
    `UPDATE sandbox SET reason = $2, state = CASE WHEN state = 'created' AND NOT shared THEN state ELSE 'failed' END
     WHERE handle = $1 AND state <> 'destroying'`,
    [handle, reason],
  );
}

export async function recordSandboxUse(db: Queryable, handle: string): Promise<void> {
  await db.query('UPDATE sandbox SET last_used_at = now() WHERE handle = $1', [handle]);
}

/** Records that somebody is in the sandbox. Call it again and again while they are. */
export async function recordHijack(db: Queryable, handle: string): Promise<void> {
  await db.query('UPDATE sandbox SET last_hijacked_at = now() WHERE handle = $1', [handle]);
}
