import { ensurePendingBuild, requestSchedule } from '@seaplane/db';
import type { SchedulerContext } from './context.ts';
import { startPendingBuilds } from './pending-builds.ts';
import { readJob } from './read-job.ts';
import { resolveAndSave } from './resolve-and-save.ts';

/**
 * Looks at one job: resolves its inputs, makes a build if a trigger has something new, and starts what may start. The
 * caller holds the job's lock. Idempotent: looked at again without a new reason, nothing changes.
 */
export async function scheduleJob(context: SchedulerContext, jobId: number): Promise<void> {
  const job = await readJob(context.db, jobId);
  if (!job) return;
  const next = job.paused ? undefined : await resolveAndSave(context.db, job);
  if (next?.triggers) await ensurePendingBuild(context.db, jobId);
  const started = await startPendingBuilds(context, job);
  // More versions of a `version: every` input wait: look again, now that this one is on its way.
  if (started && next?.hasNext) await requestSchedule(context.db, [jobId]);
  await context.db.query('UPDATE job SET scheduled = greatest(scheduled, $2) WHERE id = $1', [jobId, job.requested]);
}

/** The jobs that have a reason to be looked at. */
export async function jobsToSchedule({ db }: Pick<SchedulerContext, 'db'>): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM job WHERE active AND schedule_requested > scheduled ORDER BY id',
  );
  return rows.map(({ id }) => id);
}

/**
 * The jobs whose pending builds wait for something. What they wait for tells when it comes; a check that errored before
 * it could tell anything does not, so these are looked at now and then without a reason.
 */
export async function jobsThatWait({ db }: Pick<SchedulerContext, 'db'>): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `SELECT DISTINCT job_id AS id FROM build
     JOIN job ON job.id = build.job_id JOIN pipeline ON pipeline.id = job.pipeline_id
     WHERE build.status = 'pending' AND job.active AND NOT job.paused AND NOT pipeline.paused ORDER BY job_id`,
  );
  return rows.map(({ id }) => id);
}
