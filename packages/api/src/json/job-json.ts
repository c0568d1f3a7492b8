import type { Build, Job, Pipeline, StoredJobInput, StoredJobOutput } from '@seaplane/db';
import { buildJson, buildSummaryJson } from './build-json.ts';
import { unixSeconds } from './unix-seconds.ts';
import { withoutEmpty } from './without-empty.ts';

/** A job with what stands around it. */
export interface JobParts {
  readonly job: Job;
  readonly pipeline: Pipeline;
  readonly inputs: readonly StoredJobInput[];
  readonly outputs: readonly StoredJobOutput[];
  readonly next?: Build | undefined;
  readonly finished?: Build | undefined;
  readonly transition?: Build | undefined;
}

/** A job as fly reads it (docs/concourse/fly-api.md, section 3.4). */
export function jobJson(parts: JobParts, show: { readonly comment: boolean }): object {
  const { job, inputs, next, finished, transition } = parts;
  return {
    ...head(parts),
    next_build: next ? buildJson(next, show) : null,
    finished_build: finished ? buildJson(finished, show) : null,
    ...withoutEmpty({
      first_logged_build_id: job.firstLoggedBuildId,
      disable_manual_trigger: job.disableManualTrigger,
      disable_reruns: job.disableReruns,
      transition_build: transition && buildJson(transition, show),
      inputs: inputs.map(({ name, resource, trigger, passed }) => ({
        name,
        resource,
        trigger,
        ...withoutEmpty({ passed }),
      })),
    }),
  };
}

/** The shorter form of lists. */
export function jobSummaryJson(parts: JobParts): object {
  const { inputs, next, finished, transition } = parts;
  return {
    ...head(parts),
    ...withoutEmpty({
      next_build: next && buildSummaryJson(next),
      finished_build: finished && buildSummaryJson(finished),
      transition_build: transition && buildSummaryJson(transition),
      inputs: inputs.map(({ name, resource, trigger, passed }) => ({
        name,
        resource,
        ...withoutEmpty({ passed, trigger }),
      })),
    }),
  };
}

function head({ job, pipeline, outputs }: JobParts): object {
  return {
    id: job.id,
    name: job.name,
    team_name: pipeline.teamName,
    pipeline_id: pipeline.id,
    pipeline_name: pipeline.name,
    ...withoutEmpty({
      pipeline_instance_vars: pipeline.instanceVars,
      paused: job.paused,
      paused_by: job.pausedBy,
      paused_at: unixSeconds(job.pausedAt),
      has_new_inputs: job.hasNewInputs,
      groups: job.groups,
      outputs: outputs.map(({ name, resource }) => ({ name, resource })),
    }),
  };
}
