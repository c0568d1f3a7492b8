import type { Sandbox } from '@seaplane/db';
import type { ContainerAnswer } from '../answers/worker.ts';
import { type OptionalFields, withoutEmpty } from './without-empty.ts';

/** fly calls a sandbox a container. */
export function containerJson(sandbox: Sandbox): ContainerAnswer {
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
    }),
  };
}
