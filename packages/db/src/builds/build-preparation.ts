import type { Queryable } from '../queryable.ts';

export type Blocking = 'unknown' | 'blocking' | 'not_blocking';

/** The conditions that a pending build waits for. */
export interface BuildPreparation {
  readonly buildId: number;
  readonly pausedPipeline: Blocking;
  readonly pausedJob: Blocking;
  readonly maxRunningBuilds: Blocking;
  readonly inputs: Readonly<Record<string, Blocking>>;
  readonly inputsSatisfied: Blocking;
  readonly missingInputReasons: Readonly<Record<string, string>>;
}

const NO_CHECK = 'checking for latest available versions';
const NOT_RESOLVED = 'input is not included in resolved candidates';

interface BuildState {
  readonly pending: boolean;
  readonly pausedPipeline: boolean | null;
  readonly pausedJob: boolean | null;
  readonly maxInFlightReached: boolean | null;
}

interface InputState {
  readonly name: string;
  readonly determined: boolean;
  readonly error: string | null;
  readonly unchecked: boolean;
}

/** Reads what blocks a build. Nothing blocks a build that has started or is not a job's. */
export async function readBuildPreparation(db: Queryable, buildId: number): Promise<BuildPreparation | undefined> {
  const { rows } = await db.query<BuildState>(
    `SELECT b.status = 'pending' AND b.job_id IS NOT NULL AS pending, p.paused AS "pausedPipeline",
       j.paused AS "pausedJob", j.max_in_flight_reached AS "maxInFlightReached"
     FROM build b LEFT JOIN job j ON j.id = b.job_id LEFT JOIN pipeline p ON p.id = j.pipeline_id
     WHERE b.id = $1`,
    [buildId],
  );
  const state = rows[0];
  if (!state) return undefined;
  const inputs = state.pending ? await readInputs(db, buildId) : [];
  // If one input has no version, the others are unresolved too, because they are chosen together.
  const resolved = inputs.every(({ error }) => error === null);
  const judged = inputs.flatMap((input) => {
    const reason = reasonOf(input);
    return !input.determined && !resolved ? [] : [{ name: input.name, reason }];
  });
  const reasons = judged.flatMap(({ name, reason }) => (reason ? [[name, reason] as const] : []));
  return {
    buildId,
    pausedPipeline: blocking(state.pending && state.pausedPipeline),
    pausedJob: blocking(state.pending && state.pausedJob),
    maxRunningBuilds: blocking(state.pending && state.maxInFlightReached),
    inputs: Object.fromEntries(judged.map(({ name, reason }) => [name, blocking(reason !== undefined)])),
    inputsSatisfied: blocking(reasons.length > 0),
    missingInputReasons: Object.fromEntries(reasons),
  };
}

async function readInputs(db: Queryable, buildId: number): Promise<InputState[]> {
  const { rows } = await db.query<InputState>(
    `SELECT i.name, n.job_id IS NOT NULL AS determined, n.resolve_error AS error,
       b.manually_triggered AND coalesce(s.last_check_ended_at, '-infinity') < b.created_at AS unchecked
     FROM build b
     JOIN job_input i ON i.job_id = b.job_id
     LEFT JOIN next_build_input n ON n.job_id = i.job_id AND n.input_name = i.name
     LEFT JOIN resource r ON r.id = i.resource_id
     LEFT JOIN resource_scope s ON s.id = r.scope_id
     WHERE b.id = $1 ORDER BY i.ordering`,
    [buildId],
  );
  return rows;
}

function reasonOf({ determined, error, unchecked }: InputState): string | undefined {
  if (!determined) return NOT_RESOLVED;
  return error ?? (unchecked ? NO_CHECK : undefined);
}

function blocking(value: boolean | null): Blocking {
  return value ? 'blocking' : 'not_blocking';
}
