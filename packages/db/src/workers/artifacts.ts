import type { ArtifactRow, NewArtifact } from '@seaplane/orchestrator';
import { fromRow, type Row } from '../from-row.ts';
import { oneRow, type Queryable } from '../queryable.ts';

/** Records an artifact. Idempotent by its id: a known row does not change, except that it may become stored. */
export async function recordArtifact(db: Queryable, { id, worker, sandbox, stored }: NewArtifact): Promise<void> {
  await db.query(
    `INSERT INTO artifact (id, worker_name, sandbox_handle, sandbox_path, stored, stored_at, build_id)
     VALUES ($1, $2, $3, $4, $5, CASE WHEN $5 THEN now() END, (SELECT build_id FROM sandbox WHERE handle = $3))
     ON CONFLICT (id) DO UPDATE SET stored = true, stored_at = now() WHERE excluded.stored AND NOT artifact.stored`,
    [id, worker, sandbox?.handle, sandbox?.path, stored],
  );
}

export async function findArtifact(db: Queryable, id: string): Promise<ArtifactRow | undefined> {
  const { rows } = await db.query<Row<ArtifactRow>>(
    `SELECT id, worker_name AS worker, stored, untouched, build_id AS "buildId",
       ARRAY (SELECT c.worker_name FROM artifact_copy c WHERE c.artifact_id = artifact.id ORDER BY 1) AS copies,
       CASE WHEN sandbox_handle IS NOT NULL THEN json_build_object('handle', sandbox_handle, 'path', sandbox_path) END
         AS sandbox
     FROM artifact WHERE id = $1`,
    [id],
  );
  return rows[0] && fromRow<ArtifactRow>(rows[0]);
}

/**
 * The store of the artifact's worker holds it now. Call it after the copy has ended. The artifact is untouched if nobody
 * had entered its sandbox until now: a hijack is recorded before its shell starts.
 */
export async function markArtifactStored(db: Queryable, id: string): Promise<void> {
  await db.query(
    `UPDATE artifact a SET stored = true, stored_at = now(), untouched = untouched OR EXISTS (
       SELECT FROM sandbox s WHERE s.handle = a.sandbox_handle AND s.last_hijacked_at IS NULL)
     WHERE id = $1`,
    [id],
  );
}

/** The store has lost the artifact. Call it before the artifact is copied again: somebody may have touched it since. */
export async function markArtifactLost(db: Queryable, id: string): Promise<void> {
  await db.query('UPDATE artifact SET stored = false, untouched = false WHERE id = $1', [id]);
}

/** Call it before the copy is made: a collector deletes what a store has and no row names. An artifact that has gone gets none. */
export async function recordArtifactCopy(db: Queryable, id: string, worker: string): Promise<void> {
  await db.query(
    `INSERT INTO artifact_copy (artifact_id, worker_name)
     SELECT id, $2 FROM artifact WHERE id = $1 FOR KEY SHARE ON CONFLICT DO NOTHING`,
    [id, worker],
  );
}

/** An artifact that users know by a number. */
export interface WorkerArtifact {
  readonly id: number;
  readonly teamId: number;
  readonly buildId?: number;
  readonly name: string;
  readonly artifactId: string;
  readonly createdAt: Date;
}

const COLUMNS = `id, team_id AS "teamId", build_id AS "buildId", name, artifact_id AS "artifactId",
  created_at AS "createdAt"`;

/** Gives a number to an artifact that a user has uploaded. */
export async function createUploadedArtifact(
  db: Queryable,
  { teamId, name, artifactId }: Pick<WorkerArtifact, 'teamId' | 'name' | 'artifactId'>,
): Promise<WorkerArtifact> {
  const result = await db.query<Row<WorkerArtifact>>(
    `INSERT INTO worker_artifact (team_id, name, artifact_id) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
    [teamId, name, artifactId],
  );
  return fromRow<WorkerArtifact>(oneRow(result));
}

/** Lets users download an artifact of a build, under a name. */
export async function publishArtifact(db: Queryable, buildId: number, name: string, artifactId: string): Promise<void> {
  await db.query(
    `INSERT INTO worker_artifact (team_id, build_id, name, artifact_id)
     SELECT team_id, id, $2, $3 FROM build WHERE id = $1
     ON CONFLICT (build_id, name) DO UPDATE SET artifact_id = excluded.artifact_id`,
    [buildId, name, artifactId],
  );
}

export async function findWorkerArtifact(db: Queryable, id: number): Promise<WorkerArtifact | undefined> {
  const { rows } = await db.query<Row<WorkerArtifact>>(`SELECT ${COLUMNS} FROM worker_artifact WHERE id = $1`, [id]);
  return rows[0] && fromRow<WorkerArtifact>(rows[0]);
}

/**
 * Finds an upload of the build's team by its number. The artifact is kept until the build has ended, even if the number
 * expires: the row of the number is locked until the use is recorded.
 */
export async function findUploadedArtifact(
  db: Queryable,
  number: number,
  build: { readonly id: number; readonly teamId: number },
): Promise<string | undefined> {
  const { rows } = await db.query<{ artifactId: string }>(
    `WITH found AS (
       SELECT artifact_id FROM worker_artifact WHERE id = $1 AND team_id = $2 FOR KEY SHARE
     ), used AS (
       INSERT INTO artifact_use (build_id, artifact_id) SELECT $3, artifact_id FROM found ON CONFLICT DO NOTHING
     )
     SELECT artifact_id AS "artifactId" FROM found`,
    [number, build.teamId, build.id],
  );
  return rows[0]?.artifactId;
}

export async function listBuildArtifacts(db: Queryable, buildId: number): Promise<WorkerArtifact[]> {
  const { rows } = await db.query<Row<WorkerArtifact>>(
    `SELECT ${COLUMNS} FROM worker_artifact WHERE build_id = $1 ORDER BY id`,
    [buildId],
  );
  return rows.map((row) => fromRow<WorkerArtifact>(row));
}
