import { appendEvents, finishBuild, inTransaction, type Queryable, startBuild } from '@seaplane/db';
import { checkResource } from '../checks/check-builds.ts';
import { resourcesToCheckFirst } from '../checks/fresh-checks.ts';
import type { SchedulerContext } from '../context.ts';
import { type AdoptedInput, adoptInputsOf, adoptNextInputs } from '../inputs/next-inputs.ts';
import { resolveAndSave } from '../inputs/resolve-and-save.ts';
import type { ScheduledJob } from '../read-job.ts';
import { SchedulerError } from '../scheduler-error.ts';
import { PENDING_ORDER } from './pending-order.ts';
import { planJobBuild } from './plan-build.ts';
import { releaseSlot, reserveSlot } from './slots.ts';

export interface PendingBuild {
  readonly id: number;
  readonly createdAt: Date;
  readonly manuallyTriggered: boolean;
  readonly rerunOf: number | null;
}

/**
 * Starts the pending builds of a job that may start now, in `PENDING_ORDER`. The others wait, and the API shows why.
 * Pending builds of an archived pipeline end as aborted. Returns whether any build was started.
 */
export async function startPendingBuilds(context: SchedulerContext, job: ScheduledJob): Promise<boolean> {
  let started = false;
  if (job.paused && !job.archived) return started;
  for (const build of await pendingBuilds(context.db, job.id)) {
    if (job.archived) {
      await finishBuild(context.db, build.id, 'aborted');
      continue;
    }
    const attempt = await tryStart(context, job, build);
    if (attempt === 'blocks the next') break;
    started ||= attempt === 'started';
  }
  return started;
}

type Attempt = 'started' | 'blocks the next' | 'waits alone';

async function tryStart(context: SchedulerContext, job: ScheduledJob, build: PendingBuild): Promise<Attempt> {
  if (!(await reserveSlot(context.db, job.id, build.id))) return 'blocks the next';
  const waiting = await resourcesToCheckFirst(context.db, job, build);
  if (waiting.length > 0) {
    for (const { resourceId, running, neverByItself } of waiting) {
      if (running) continue;
      const { manuallyTriggered } = build;
      // The interval `never` would keep the check from running.
      await checkResource(context, resourceId, {
        manuallyTriggered: manuallyTriggered || neverByItself,
        shallow: !manuallyTriggered,
      });
    }
    return 'blocks the next';
  }
  const inputs = await inputsFor(context, job, build);
  if (!inputs) {
    await releaseSlot(context.db, job.id, build.id);
    return build.rerunOf === null ? 'blocks the next' : 'waits alone';
  }
  try {
    await startBuild(context.db, build.id, await planJobBuild(context, job, build, inputs));
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    await finishUnplannable(context, build.id, error);
  }
  return 'started';
}

/** Ends the build in error. Its log gives the reason. */
function finishUnplannable(
  { db, clock }: SchedulerContext,
  buildId: number,
  { message }: SchedulerError,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const time = Math.floor(clock.now().getTime() / 1000);
    await appendEvents(tx, buildId, [{ event: 'error', data: { message, origin: { id: '' }, time } }]);
    return finishBuild(tx, buildId, 'errored');
  });
}

/**
 * Gives a build its inputs, resolved anew; a rerun gets the inputs of its original. Undefined: they are not determined.
 */
async function inputsFor(
  context: SchedulerContext,
  job: ScheduledJob,
  build: PendingBuild,
): Promise<AdoptedInput[] | undefined> {
  if (build.rerunOf !== null) return adoptInputsOf(context.db, build.rerunOf, build.id);
  const { determined } = await resolveAndSave(context.db, job);
  return determined ? adoptNextInputs(context.db, job.id, build.id) : undefined;
}

async function pendingBuilds(db: Queryable, jobId: number): Promise<PendingBuild[]> {
  const { rows } = await db.query<PendingBuild>(
    `SELECT id, created_at AS "createdAt", manually_triggered AS "manuallyTriggered", rerun_of AS "rerunOf"
     FROM build WHERE job_id = $1 AND status = 'pending' ORDER BY ${PENDING_ORDER}`,
    [jobId],
  );
  return rows;
}
