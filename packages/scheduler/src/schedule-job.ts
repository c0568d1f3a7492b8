import { ensurePendingBuild, requestSchedule } from '@seaplane/db';
import { startPendingBuilds } from './builds/pending-builds.ts';
import type { SchedulerContext } from './context.ts';
import { resolveAndSave } from './inputs/resolve-and-save.ts';
import { readJob } from './read-job.ts';

/**
 * Schedules one job: resolves its inputs, creates a build if a trigger input has a new version, and starts the builds
 * that may start. The caller holds the job's lock. Idempotent: scheduling again without a new reason changes nothing.
 */
export async function scheduleJob(context: SchedulerContext, jobId: number): Promise<void> {
  const job = await readJob(context.db, jobId);
  if (!job) return;
  const next = job.paused ? undefined : await resolveAndSave(context.db, job);
  if (next?.triggers) await ensurePendingBuild(context.db, jobId);
  const started = await startPendingBuilds(context, job);
  // More versions of a `version: every` input wait: schedule again, now that this one has its build.
  if (started && next?.hasNext) await requestSchedule(context.db, [jobId]);
  await context.db.query('UPDATE job SET scheduled = greatest(scheduled, $2) WHERE id = $1', [jobId, job.requested]);
}

/** Lists the jobs that have a new request to be scheduled. */
export async function jobsToSchedule({ db }: Pick<SchedulerContext, 'db'>): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM job WHERE active AND schedule_requested > scheduled ORDER BY id',
  );
  return rows.map(({ id }) => id);
}

/**
 * Lists the jobs that have pending builds. The event that a build waits for usually requests the scheduling. A check
 * that errored early requests nothing, so these jobs are scheduled now and then without a request.
 */
export async function jobsThatWait({ db }: Pick<SchedulerContext, 'db'>): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `SELECT DISTINCT job_id AS id FROM build
     JOIN job ON job.id = build.job_id JOIN pipeline ON pipeline.id = job.pipeline_id
     WHERE build.status = 'pending' AND job.active AND NOT job.paused AND NOT pipeline.paused ORDER BY job_id`,
  );
  return rows.map(({ id }) => id);
}
