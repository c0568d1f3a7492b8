import type { Json } from '@seaplane/config';
import { DbError } from '../errors.ts';
import { fromRow, type Row } from '../from-row.ts';
import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import { findTeam } from '../teams/teams.ts';
import { ACTIVE_TASK } from './worker-loads.ts';

type ListedState = 'running' | 'stalled' | 'landing' | 'landed' | 'retiring';

/** A retired worker is not listed. Its row only keeps later heartbeats from bringing the worker back. */
export type WorkerState = ListedState | 'retired';

export interface Worker {
  readonly name: string;
  readonly state: ListedState;
  readonly platform: string;
  readonly tags: readonly string[];
  readonly teamId?: number;
  readonly teamName?: string;
  readonly version: string;
  readonly ephemeral: boolean;
  readonly baseTypes: readonly Json[];
  /** In words: what its last health check found wrong. */
  readonly problems: readonly string[];
  /** In words, how web reaches its sandboxes. Not given: there is one way, or nobody knows yet. */
  readonly way?: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  readonly activeSandboxes: number;
  readonly activeTasks: number;
  readonly storedArtifacts: number;
}

const SELECT_WORKERS = `
  SELECT w.name, w.state, w.platform, w.tags, w.team_id AS "teamId", t.name AS "teamName", w.version, w.ephemeral,
    w.base_types AS "baseTypes", w.problems, w.way, w.started_at AS "startedAt", w.last_seen_at AS "lastSeenAt",
    s.all AS "activeSandboxes", s.tasks AS "activeTasks",
    (SELECT count(*) FROM artifact a WHERE a.worker_name = w.name AND a.stored)
      + (SELECT count(*) FROM artifact_copy c WHERE c.worker_name = w.name) AS "storedArtifacts"
  FROM worker w
  LEFT JOIN team t ON t.id = w.team_id
  CROSS JOIN LATERAL (
    SELECT count(*) AS all, count(*) FILTER (WHERE ${ACTIVE_TASK}) AS tasks
    FROM sandbox s LEFT JOIN build b ON b.id = s.build_id WHERE s.worker_name = w.name) s
  WHERE w.state <> 'retired'`;

/** All workers, or those that these teams may use. */
export async function listWorkers(db: Queryable, teamIds?: readonly number[]): Promise<Worker[]> {
  const { rows } = await db.query<Row<Worker>>(
    `${SELECT_WORKERS} AND ($1::int[] IS NULL OR w.team_id IS NULL OR w.team_id = ANY($1)) ORDER BY w.name`,
    [teamIds],
  );
  return rows.map((row) => fromRow<Worker>(row));
}

export async function findWorker(db: Queryable, name: string): Promise<Worker | undefined> {
  const { rows } = await db.query<Row<Worker>>(`${SELECT_WORKERS} AND w.name = $1`, [name]);
  return rows[0] && fromRow<Worker>(rows[0]);
}

/** A worker's report about itself. */
export interface WorkerReport {
  readonly name: string;
  readonly platform: string;
  readonly tags: readonly string[];
  /** The team that owns the worker. Not given: all teams may use it. */
  readonly team?: string;
  readonly version: string;
  readonly ephemeral?: boolean;
  readonly baseTypes: readonly Json[];
  readonly problems: readonly string[];
  readonly way?: string;
  /** Steps can run on the worker. If not, the report does not count as a sign of life. */
  readonly usable: boolean;
  /** The worker's configuration, as a digest. A worker that had landed or was retired runs again when it differs. */
  readonly entry: string;
  /** The worker is stalled if it gives no sign of life within this time. */
  readonly ttlMs: number;
}

/** Throws if the worker's team does not exist: without the team, every team could use the worker. */
async function teamIdOf(tx: Queryable, { name, team }: WorkerReport): Promise<number | undefined> {
  if (team === undefined) return undefined;
  const found = await findTeam(tx, team);
  if (found) return found.id;
  throw new DbError('not-found', `The worker ${name} belongs to the team ${team}, which does not exist.`);
}

/**
 * Records a report of a worker, and returns the worker's state.
 *
 * A usable worker that reports is running, with these exceptions: a landing or retiring worker goes on with that, and a
 * landed or retired one comes back only when its configuration has changed. A report from a worker that is not usable does not change
 * its state, and does not count as a sign of life.
 */
export async function reportWorker(db: Queryable, report: WorkerReport): Promise<WorkerState> {
  return inTransaction(db, async (tx) => {
    const before = await tx.query<{ state: WorkerState }>('SELECT state FROM worker WHERE name = $1 FOR UPDATE', [
      report.name,
    ]);
    const { rows } = await tx.query<{ state: WorkerState }>(
      `INSERT INTO worker (name, state, platform, tags, team_id, version, ephemeral, base_types, problems, expires_at, entry,
         way)
       VALUES ($1, CASE WHEN $10 THEN 'running' ELSE 'stalled' END, $2, $3, $4, $5, $6, $7, $8,
         now() + make_interval(secs => $9), $11, $12)
       ON CONFLICT (name) DO UPDATE SET
         state = CASE
           WHEN NOT $10 OR worker.state IN ('landing', 'retiring') THEN worker.state
           WHEN worker.state IN ('landed', 'retired') AND worker.entry = $11 THEN worker.state
           ELSE 'running' END,
         platform = excluded.platform, tags = excluded.tags, team_id = excluded.team_id, version = excluded.version,
         ephemeral = excluded.ephemeral, base_types = excluded.base_types, problems = excluded.problems,
         entry = CASE WHEN $10 THEN excluded.entry ELSE worker.entry END,
         way = excluded.way,
         last_seen_at = CASE WHEN $10 THEN now() ELSE worker.last_seen_at END,
         expires_at = CASE WHEN $10 THEN excluded.expires_at ELSE worker.expires_at END
       RETURNING state`,
      [
        report.name,
        report.platform,
        report.tags,
        await teamIdOf(tx, report),
        report.version,
        report.ephemeral ?? false,
        JSON.stringify(report.baseTypes),
        report.problems,
        report.ttlMs / 1000,
        report.usable,
        report.entry,
        report.way,
      ],
    );
    const state = rows[0]?.state ?? 'running';
    if (state !== before.rows[0]?.state) await notify(tx, 'workers', report.name);
    return state;
  });
}
