import type { Sandbox } from '@seaplane/db';
import { withoutEmpty } from './without-empty.ts';

/** A sandbox as fly reads it: a container (docs/concourse/fly-api.md, section 3.7). */
export function containerJson(sandbox: Sandbox): object {
  return {
    id: sandbox.handle,
    worker_name: sandbox.workerName,
    state: sandbox.state,
    type: sandbox.type,
    ...withoutEmpty({
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
