import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureMainTeam, openDatabase, type Queryable } from '@seaplane/db';
import { type ResolvableInput, resolveInputs, sqlHistory } from '@seaplane/scheduler/testing';
import { time } from './bench-database.ts';
import { countQueries } from './count-queries.ts';
import { median } from './median.ts';
import { table } from './table.ts';

const SIZES = [10_000, 100_000, 1_000_000];
/** A row that takes longer than this is measured once. */
const LONG_MS = 2_000;

interface Setting {
  readonly repo: number;
  /** `unit` succeeded with every version, `lint` with each tenth, `rare` with the oldest alone, `never` with none. */
  readonly jobs: Readonly<Record<string, number>>;
}

/** Jobs that have used the newest version, none at all, or the newest of the first tenth. */
type Past = 'up to date' | 'new' | 'behind';

interface Row {
  readonly name: string;
  readonly past: Past;
  inputs(setting: Setting, versions: number): Pick<ResolvableInput, 'passed' | 'wanted'>[];
}

const LATEST = { kind: 'latest' } as const;
const EVERY = { kind: 'every' } as const;
const pin = (n: number) => ({ kind: 'pinned', fields: { v: String(n) } }) as const;
const passed = ({ jobs }: Setting, ...names: string[]) => names.map((name) => jobs[name] ?? 0);

const ROWS: readonly Row[] = [
  { name: 'latest', past: 'new', inputs: () => [{ passed: [], wanted: LATEST }] },
  { name: 'passed [unit]', past: 'new', inputs: (s) => [{ passed: passed(s, 'unit'), wanted: LATEST }] },
  {
    name: 'two inputs, passed [unit]',
    past: 'new',
    inputs: (s) => [LATEST, LATEST].map((wanted) => ({ passed: passed(s, 'unit'), wanted })),
  },
  {
    name: 'passed [unit, lint]',
    past: 'new',
    inputs: (s) => [{ passed: passed(s, 'unit', 'lint'), wanted: LATEST }],
  },
  { name: 'every, up to date', past: 'up to date', inputs: () => [{ passed: [], wanted: EVERY }] },
  {
    name: 'every + passed, up to date',
    past: 'up to date',
    inputs: (s) => [{ passed: passed(s, 'unit'), wanted: EVERY }],
  },
  { name: 'every, never used', past: 'new', inputs: () => [{ passed: [], wanted: EVERY }] },
  { name: 'every + passed, never used', past: 'new', inputs: (s) => [{ passed: passed(s, 'unit'), wanted: EVERY }] },
  {
    name: 'every + passed, 90 % behind',
    past: 'behind',
    inputs: (s) => [{ passed: passed(s, 'unit'), wanted: EVERY }],
  },
  { name: 'pin on the newest', past: 'new', inputs: (_, n) => [{ passed: [], wanted: pin(n) }] },
  { name: 'pin on the oldest', past: 'new', inputs: () => [{ passed: [], wanted: pin(1) }] },
  { name: 'pin on none', past: 'new', inputs: () => [{ passed: [], wanted: pin(0) }] },
  {
    name: 'pin in mid-history + passed [unit]',
    past: 'new',
    inputs: (s, n) => [{ passed: passed(s, 'unit'), wanted: pin(n / 2) }],
  },
  {
    name: 'passed [unit, job without success]',
    past: 'new',
    inputs: (s) => [{ passed: passed(s, 'unit', 'never'), wanted: LATEST }],
  },
  {
    name: 'passed [unit, job with an old success]',
    past: 'new',
    inputs: (s) => [{ passed: passed(s, 'unit', 'rare'), wanted: LATEST }],
  },
];

/** How long `resolveInputs` takes, by the kind of job and the length of its history. */
export async function benchResolve({
  rounds,
  progress,
  signal,
}: {
  readonly rounds: number;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<string> {
  const columns: string[][] = [['job', ...ROWS.map(({ name }) => name)]];
  for (const versions of SIZES) {
    const directory = await mkdtemp(join(tmpdir(), 'bench-'));
    await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
    try {
      await using database = await openDatabase(
        { kind: 'embedded', directory: join(directory, 'data') },
        { signal, queryTimeoutMs: 600_000 },
      );
      const setting = await fill(database.pool, versions);
      progress(`${versions} versions`);
      const measured: Measured[] = [];
      for (const row of ROWS) {
        signal.throwIfAborted();
        const result = await measure(database.pool, row, setting, versions, rounds);
        progress(`${row.name}: ${result.ms.toFixed(1)} ms, ${result.queries} queries`);
        measured.push(result);
      }
      if (columns.length === 1) columns.push(['queries', ...measured.map(({ queries }) => String(queries))]);
      columns.push([`${versions / 1000}k ms`, ...measured.map(({ ms }) => ms.toFixed(1))]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  return table((columns[0] ?? []).map((_, row) => columns.map((column) => column[row] ?? '')));
}

interface Measured {
  readonly ms: number;
  readonly queries: number;
}

async function measure(
  pool: Queryable,
  row: Row,
  setting: Setting,
  versions: number,
  rounds: number,
): Promise<Measured> {
  const jobId = setting.jobs[row.past] ?? 0;
  const inputs = row.inputs(setting, versions).map((input, index) => {
    return { ...input, name: `i${index}`, trigger: true, resourceId: setting.repo };
  });
  const counting = countQueries(pool);
  const first = await time(() => resolveInputs(sqlHistory(counting.db), jobId, inputs));
  const queries = counting.count();
  if (first > LONG_MS) return { ms: first, queries };
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(await time(() => resolveInputs(sqlHistory(pool), jobId, inputs)));
  }
  return { ms: median(times), queries };
}

/** Rows as finished builds leave them: a successful build of `unit` for each version, and so on. */
async function fill(db: Queryable, versions: number): Promise<Setting> {
  // What is filled in refers only to what is there. Checking that for millions of rows would take most of the time.
  for (const name of ['resource_version', 'build', 'build_input', 'successful_build_output', 'build_pipe']) {
    await db.query(`ALTER TABLE ${name} DISABLE TRIGGER ALL`);
  }
  const team = await ensureMainTeam(db, {});
  const { rows: pipelines } = await db.query<{ id: number }>(
    `INSERT INTO pipeline (team_id, name, config, config_version, paused, ordering)
     VALUES ($1, 'p', '{}', 1, false, 1) RETURNING id`,
    [team.id],
  );
  const pipelineId = pipelines[0]?.id;
  const names = ['unit', 'lint', 'rare', 'never', 'up to date', 'behind', 'new'];
  const { rows: jobs } = await db.query<{ name: string; id: number }>(
    `INSERT INTO job (pipeline_id, name, ordering) SELECT $1, name, place
     FROM unnest($2::text[]) WITH ORDINALITY AS given(name, place) RETURNING name, id`,
    [pipelineId, names],
  );
  const { rows: scopes } = await db.query<{ resource: number; scope: number }>(
    `WITH config AS (
       INSERT INTO resource_config (parent, source_digest) VALUES ('base:mock', 'x') RETURNING id
     ), made AS (
       INSERT INTO resource (pipeline_id, name, type, config, config_digest, ordering)
       VALUES ($1, 'repo', 'mock', '{}', 'x', 1) RETURNING id
     )
     INSERT INTO resource_scope (resource_config_id, resource_id) SELECT config.id, made.id FROM config, made
     RETURNING resource_id AS resource, id AS scope`,
    [pipelineId],
  );
  const { resource = 0, scope = 0 } = scopes[0] ?? {};
  await db.query('UPDATE resource SET scope_id = $2 WHERE id = $1', [resource, scope]);
  await db.query(
    `INSERT INTO resource_version (scope_id, version, check_order)
     SELECT $1, jsonb_build_object('v', n::text), n FROM generate_series(1, $2::int) n`,
    [scope, versions],
  );
  const builds = (job: string, filter: string) =>
    db.query(
      `INSERT INTO build (name, team_id, pipeline_id, job_id, status, started_at, ended_at, interceptible)
       SELECT n::text, $1, $2, job.id, 'succeeded', now(), now(), false
       FROM job, generate_series(1, $3::int) n WHERE job.name = $4 AND ${filter} ORDER BY n`,
      [team.id, pipelineId, versions, job],
    );
  await builds('unit', 'true');
  await builds('lint', 'n % 10 = 5');
  await builds('rare', 'n = 1');
  await builds('up to date', 'n > $3 - 1000');
  await builds('behind', 'n > $3 / 10 - 1000 AND n <= $3 / 10');
  // Without statistics the server joins the new tables row by row: a million versions would take days.
  await db.query('ANALYZE');
  await db.query(
    `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
     SELECT build.id, 'i0', $1, version.digest, version.version, true, build.job_id
     FROM build JOIN resource_version version ON version.check_order = build.name::bigint`,
    [resource],
  );
  await db.query(
    `INSERT INTO successful_build_output (build_id, job_id, outputs)
     SELECT build_id, job_id, jsonb_build_object(resource_id::text, jsonb_build_array(version_digest)) FROM build_input`,
  );
  await db.query(
    `INSERT INTO build_pipe (to_build_id, from_build_id)
     SELECT own.id, unit.id FROM build own JOIN job ON job.id = own.job_id AND job.name IN ('up to date', 'behind')
     JOIN build unit ON unit.name = own.name AND unit.job_id = (SELECT id FROM job WHERE name = 'unit')`,
  );
  await db.query('VACUUM ANALYZE');
  return { repo: resource, jobs: Object.fromEntries(jobs.map(({ name, id }) => [name, id])) };
}
