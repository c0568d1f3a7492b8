import { GRACE_PERIODS, type Sandbox } from '@seaplane/db';
import type { ContainerAnswer } from '../answers/worker.ts';
import { type OptionalFields, withoutEmpty } from './without-empty.ts';

/** fly calls a sandbox a container. */
export function containerJson(sandbox: Sandbox, now: Date): ContainerAnswer {
  return {
    id: sandbox.handle,
    worker_name: sandbox.workerName,
    state: sandbox.state,
    type: sandbox.type,
    ...withoutEmpty<OptionalFields<ContainerAnswer>>({
      step_name: sandbox.stepName,
      attempt: sandbox.attempt,
      pipeline_id: sandbox.pipelineId,
      job_id: sandbox.jobId,
      build_id: sandbox.buildId,
      pipeline_name: sandbox.pipelineName,
      pipeline_instance_vars: sandbox.pipelineInstanceVars,
      job_name: sandbox.jobName,
      build_name: sandbox.buildName,
      user: sandbox.user,
      working_directory: sandbox.workingDirectory,
      expires_in: sandbox.shared ? expiresIn(sandbox, now) : '',
      plan_id: sandbox.planId,
    }),
  };
}

/** As Go writes a time of whole seconds. */
function expiresIn({ lastUsedAt }: Sandbox, now: Date): string {
  const seconds = Math.max(0, Math.round((lastUsedAt.getTime() + GRACE_PERIODS.idleCheckMs - now.getTime()) / 1000));
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
