import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ensureMainTeam, type Queryable } from '@seaplane/db';
import { concourseSource } from '@seaplane/dev-toolchain/concourse.ts';
import { resolveInputs, sqlHistory } from '@seaplane/scheduler/testing';
import { type AloneOptions, time, withBenchDatabase } from './bench-database.ts';
import { countQueries } from './count-queries.ts';
import { median } from './median.ts';
import { table } from './table.ts';

/** A history that Concourse's maintainers exported from one of their installations to measure with. */
const EXPORT = 'atc/scheduler/algorithm/testdata/hush-house-6.json.gz';
const RESOURCE = 'rc-image';
/** The version that Concourse's own test of this history expects. */
const EXPECTED = 804095;

interface Use {
  readonly VersionID: number;
  readonly ResourceID: number;
  readonly BuildID: number;
  readonly JobID: number;
}

interface Exported {
  readonly JobIDs: Readonly<Record<string, number>>;
  readonly ResourceIDs: Readonly<Record<string, number>>;
  readonly ResourceVersions: readonly (Pick<Use, 'VersionID' | 'ResourceID'> & { readonly CheckOrder: number })[];
  readonly BuildOutputs: readonly Use[];
  readonly BuildInputs: readonly Use[];
}

/** How long a look at the job `build` of the pipeline takes, whose input must have passed 25 other jobs. */
export async function benchHushHouse({ rounds, progress, signal }: AloneOptions): Promise<string> {
  const file = await readFile(join(await concourseSource(), EXPORT));
  const exported = JSON.parse((await promisify(gunzip)(file)).toString()) as Exported;
  return withBenchDatabase(signal, async ({ pool }) => {
    await fill(pool, exported);
    progress(`${exported.ResourceVersions.length} versions, ${exported.BuildOutputs.length} outputs of builds`);
    const { rows } = await pool.query<{ digest: string }>(
      "SELECT digest FROM resource_version WHERE version = jsonb_build_object('v', $1::text)",
      [EXPECTED],
    );
    const jobs = Object.entries(exported.JobIDs).filter(([name]) => name.endsWith('-deps'));
    const look = async (passed: readonly number[]) => {
      const wanted = { kind: 'latest' } as const;
      const resourceId = exported.ResourceIDs[RESOURCE] ?? 0;
      const input = { name: 'i', resourceId, trigger: true, passed, wanted };
      const counting = countQueries(pool);
      const { inputs } = await resolveInputs(sqlHistory(counting.db), exported.JobIDs['build'] ?? 0, [input]);
      return { queries: counting.count(), found: inputs.get('i') };
    };
    const lines = [['jobs in passed', 'queries', 'ms']];
    for (const count of [1, jobs.length]) {
      const passed = jobs.slice(0, count).map(([, id]) => id);
      const { queries, found } = await look(passed);
      const isExpected = found && 'digest' in found && found.digest === rows[0]?.digest;
      if (count > 1 && !isExpected)
        throw new Error(`found ${JSON.stringify(found)} instead of the version ${EXPECTED}`);
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) times.push(await time(() => look(passed)));
      lines.push([String(count), String(queries), median(times).toFixed(1)]);
    }
    return table(lines);
  });
}

async function fill(db: Queryable, { JobIDs, ResourceIDs, ...rest }: Exported): Promise<void> {
  const { ResourceVersions: versions, BuildOutputs: outputs, BuildInputs: inputs } = rest;
  const { id: team } = await ensureMainTeam(db, {});
  const { rows } = await db.query<{ id: number }>(
    `INSERT INTO pipeline (team_id, name, config, config_version, paused, ordering)
     VALUES ($1, 'p', '{}', 1, false, 1) RETURNING id`,
    [team],
  );
  const pipeline = rows[0]?.id;
  await db.query(
    'INSERT INTO job (id, pipeline_id, name, ordering) OVERRIDING SYSTEM VALUE SELECT value::int, $1, key, 1 FROM json_each_text($2)',
    [pipeline, JSON.stringify(JobIDs)],
  );
  await db.query(
    `INSERT INTO resource (id, pipeline_id, name, type, config, config_digest, ordering)
     OVERRIDING SYSTEM VALUE SELECT value::int, $1, key, 'mock', '{}', key, 1 FROM json_each_text($2)`,
    [pipeline, JSON.stringify(ResourceIDs)],
  );
  await db.query("INSERT INTO resource_config (parent, source_digest) SELECT 'base:mock', name FROM resource");
  await db.query(
    `INSERT INTO resource_scope (resource_config_id, resource_id)
     SELECT config.id, resource.id FROM resource JOIN resource_config config ON config.source_digest = resource.name`,
  );
  await db.query(
    'UPDATE resource SET scope_id = scope.id FROM resource_scope scope WHERE scope.resource_id = resource.id',
  );
  await db.query(
    `INSERT INTO resource_version (scope_id, version, check_order)
     SELECT scope.id, jsonb_build_object('v', "VersionID"::text), "CheckOrder"
     FROM json_to_recordset($1) AS given("VersionID" int, "ResourceID" int, "CheckOrder" int)
     JOIN resource_scope scope ON scope.resource_id = "ResourceID" ON CONFLICT DO NOTHING`,
    [JSON.stringify(versions)],
  );
  // Versions that a build put come before those it got.
  await db.query(
    `CREATE TABLE exported AS
     SELECT "BuildID" AS build_id, "JobID" AS job_id, "ResourceID" AS resource_id, "VersionID" AS version, rank
     FROM (SELECT 1 AS rank, * FROM json_to_recordset($1)
             AS put("BuildID" int, "JobID" int, "ResourceID" int, "VersionID" int)
           UNION ALL
           SELECT 2, * FROM json_to_recordset($2)
             AS got("BuildID" int, "JobID" int, "ResourceID" int, "VersionID" int)) uses`,
    [JSON.stringify(outputs), JSON.stringify(inputs)],
  );
  await db.query(
    `INSERT INTO build (id, name, team_id, pipeline_id, job_id, status, started_at, ended_at, interceptible)
     OVERRIDING SYSTEM VALUE SELECT DISTINCT build_id, build_id::text, $1::int, $2::int, job_id, 'succeeded', now(), now(), false
     FROM exported WHERE rank = 1`,
    [team, pipeline],
  );
  await db.query('ANALYZE');
  await db.query(
    `WITH uses AS (
       SELECT exported.build_id, exported.job_id, exported.resource_id, version.digest, min(rank) AS rank
       FROM exported
       JOIN resource ON resource.id = exported.resource_id
       JOIN resource_version version ON version.scope_id = resource.scope_id AND version.version->>'v' = exported.version::text
       WHERE exported.build_id IN (SELECT id FROM build)
       GROUP BY 1, 2, 3, 4
     ), lists AS (
       SELECT build_id, job_id, resource_id, jsonb_agg(digest ORDER BY rank) AS digests FROM uses GROUP BY 1, 2, 3
     )
     INSERT INTO successful_build_output (build_id, job_id, outputs)
     SELECT build_id, job_id, jsonb_object_agg(resource_id::text, digests) FROM lists GROUP BY 1, 2`,
  );
  await db.query('DROP TABLE exported');
  await db.query('VACUUM ANALYZE');
}
