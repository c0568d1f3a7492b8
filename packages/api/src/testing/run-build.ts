import type { Plan } from '@seaplane/config';
import { createJobBuild, findJob, finishBuild, startBuild } from '@seaplane/db';
import type { FinalStatus } from '@seaplane/engine';
import type { TestApi } from './test-api.ts';

export const PLAN: Plan = { id: '1', task: { name: 'secret-task', privileged: false, params: { SECRET: 'x' } } };
export const PUBLIC_PLAN = { id: '1', task: { name: 'secret-task', privileged: false, hermetic: false } };

/** Creates a pending build of the job with this name. */
export async function createBuild(api: TestApi, pipelineId: number, jobName: string): Promise<number> {
  const job = await findJob(api.pool, pipelineId, jobName);
  if (!job) throw new Error(`there is no job ${jobName}`);
  return (await createJobBuild(api.pool, { jobId: job.id, createdBy: 'somebody' })).id;
}

/** Creates a build and starts it. */
export async function startedBuild(api: TestApi, pipelineId: number, jobName: string): Promise<number> {
  const id = await createBuild(api, pipelineId, jobName);
  await api.pool.query('UPDATE build SET inputs_ready = true WHERE id = $1', [id]);
  await startBuild(api.pool, id, { plan: PLAN, publicPlan: PUBLIC_PLAN });
  return id;
}

/** Creates a build, starts it and finishes it. */
export async function finishedBuild(
  api: TestApi,
  pipelineId: number,
  jobName: string,
  status: FinalStatus = 'succeeded',
): Promise<number> {
  const id = await startedBuild(api, pipelineId, jobName);
  await finishBuild(api.pool, id, status);
  return id;
}
