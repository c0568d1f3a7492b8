import { parseYaml, readPipeline } from '@seaplane/config';
import { configToSave, ensureMainTeam, type Queryable, savePipeline, unpausePipeline } from '@seaplane/db';
import { checkResource, dueChecks, StoredPipelines } from '@seaplane/scheduler';
import { scanner } from '@seaplane/web/testing';
import { type AloneOptions, inTurns, time, withBenchDatabase } from './bench-database.ts';
import { median } from './median.ts';
import { table } from './table.ts';

const PIPELINES = 20;
const RESOURCES = 500;
/** Checks of one round. */
const BATCH = 200;
/** All resources once a minute. */
const GOAL = (PIPELINES * RESOURCES) / 60;

/**
 * How many periodic checks web starts in a second, of 10,000 resources in pipelines of 500. Beside it, in turn, the plain
 * way: each check reads its whole pipeline, one after another. No check runs: their builds are deleted after each round.
 */
export function benchChecks(options: AloneOptions): Promise<string> {
  return withBenchDatabase(options.signal, async ({ pool }) => {
    await fill(pool);
    options.progress(`${PIPELINES} pipelines of ${RESOURCES} resources`);
    const onError = (error: unknown) => {
      throw error;
    };
    const clock = { elapsedMs: () => performance.now() };
    const { look } = scanner({ pool, clock, storedPipelines: new StoredPipelines(), onError, maxChecksPerSecond: -1 });
    const plainly = async () => {
      for (const id of (await dueChecks(pool, BATCH)).due) {
        const context = { db: pool, storedPipelines: new StoredPipelines() };
        await checkResource(context, id, { manuallyTriggered: false });
      }
    };
    const times = await inTurns(options, {
      plain: () => timeRound(pool, plainly),
      scanner: () => timeRound(pool, () => look(options.signal, () => {})),
      due: () => time(() => dueChecks(pool, BATCH)),
    });
    return report(times);
  });
}

/** Sets the pipelines, and gives each resource a history whose next check is in an hour. */
async function fill(db: Parameters<typeof savePipeline>[0]): Promise<void> {
  const { id: teamId } = await ensureMainTeam(db, {});
  for (let number = 0; number < PIPELINES; number++) {
    const names = Array.from({ length: RESOURCES }, (_, n) => `r${number}-${n}`);
    const source = (name: string) => `{uri: 'https://git.example.com/${name}.git', branch: main, paths: [src, docs]}`;
    const yaml = [
      'resources:',
      ...names.map((name) => `- {name: ${name}, type: git, icon: git, source: ${source(name)}}`),
      'jobs:',
      ...names.map((name) => `- {name: ${name}, plan: [{get: ${name}, trigger: true}]}`),
    ].join('\n');
    const read = readPipeline(parseYaml(yaml));
    if (!read.ok) throw new Error(read.errors.join('\n'));
    const pipeline = configToSave(read.config);
    const saved = await savePipeline(db, { teamId, ref: { name: `p${number}` }, pipeline, fromVersion: 0 });
    if (saved.kind !== 'saved') throw new Error(saved.kind);
    await unpausePipeline(db, saved.pipelineId);
  }
  await db.query(
    `WITH config AS (
       INSERT INTO resource_config (parent, source_digest) SELECT 'base:git', id::text FROM resource
       RETURNING id, source_digest
     ), scope AS (
       INSERT INTO resource_scope (resource_config_id, resource_id, last_check_succeeded, next_check_at)
       SELECT id, source_digest::int, true, now() + interval '1 hour' FROM config RETURNING id, resource_id
     ), version AS (
       INSERT INTO resource_version (scope_id, version, check_order) SELECT id, '{"ref": "1"}', 1 FROM scope
     )
     UPDATE resource SET scope_id = scope.id FROM scope WHERE resource.id = scope.resource_id`,
  );
  await db.query('ANALYZE');
}

/** Makes a batch of resources of all pipelines due, times `act`, and deletes the checks that it started. */
async function timeRound(db: Queryable, act: () => Promise<unknown>): Promise<number> {
  await db.query('UPDATE resource_scope SET next_check_at = now() WHERE resource_id % $1 = 0', [
    (PIPELINES * RESOURCES) / BATCH,
  ]);
  const elapsed = await time(act);
  const { rowCount } = await db.query('DELETE FROM build');
  if (rowCount !== BATCH) throw new Error(`${rowCount} checks were started, not ${BATCH}`);
  await db.query("UPDATE resource_scope SET next_check_at = now() + interval '1 hour'");
  await db.query('VACUUM ANALYZE resource_scope, build');
  return elapsed;
}

function report({ plain, scanner: scanned, due }: Record<'plain' | 'scanner' | 'due', readonly number[]>): string {
  const rate = (times: readonly number[]) => ((BATCH / median(times)) * 1000).toFixed(0);
  const ratio = (times: readonly number[]) => (median(plain) / median(times)).toFixed(1);
  return table([
    ['checks started', 'in a second', 'ratio', 'goal'],
    ['each reads its pipeline, one after another', rate(plain), '1.0', ''],
    ['as web starts them', rate(scanned), ratio(scanned), GOAL.toFixed(0)],
    ['a look when nothing is due (milliseconds)', median(due).toFixed(1), '', ''],
  ]);
}
