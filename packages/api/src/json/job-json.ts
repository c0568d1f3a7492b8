import type { Build, Job, Pipeline, StoredJobInput, StoredJobOutput } from '@seaplane/db';
import type {
  JobAnswer,
  JobHead,
  JobInputAnswer,
  JobInputSummaryAnswer,
  JobOutputAnswer,
  JobSummaryAnswer,
} from '../answers/job.ts';
import { buildJson, buildSummaryJson } from './build-json.ts';
import { unixSeconds } from './unix-seconds.ts';
import { type OptionalFields, withoutEmpty } from './without-empty.ts';

/** A job, and everything that its answers show besides. */
export interface JobParts {
  readonly job: Job;
  readonly pipeline: Pipeline;
  readonly inputs: readonly StoredJobInput[];
  readonly outputs: readonly StoredJobOutput[];
  readonly next?: Build | undefined;
  readonly finished?: Build | undefined;
  readonly transition?: Build | undefined;
}

export function jobJson(parts: JobParts, show: { readonly comment: boolean }): JobAnswer {
  const { job, inputs, next, finished, transition } = parts;
  return {
    ...headJson(parts),
    next_build: next ? buildJson(next, show) : null,
    finished_build: finished ? buildJson(finished, show) : null,
    ...withoutEmpty<Omit<OptionalFields<JobAnswer>, keyof JobHead>>({
      first_logged_build_id: job.firstLoggedBuildId,
      disable_manual_trigger: job.disableManualTrigger,
      disable_reruns: job.disableReruns,
      transition_build: transition && buildJson(transition, show),
      inputs: inputs.map(inputJson),
    }),
  };
}

export function jobSummaryJson(parts: JobParts): JobSummaryAnswer {
  const { inputs, next, finished, transition } = parts;
  return {
    ...headJson(parts),
    ...withoutEmpty<Omit<OptionalFields<JobSummaryAnswer>, keyof JobHead>>({
      next_build: next && buildSummaryJson(next),
      finished_build: finished && buildSummaryJson(finished),
      transition_build: transition && buildSummaryJson(transition),
      inputs: inputs.map(inputSummaryJson),
    }),
  };
}

function headJson({ job, pipeline, outputs }: JobParts): JobHead {
  return {
    id: job.id,
    name: job.name,
    team_name: pipeline.teamName,
    pipeline_id: pipeline.id,
    pipeline_name: pipeline.name,
    ...withoutEmpty<OptionalFields<JobHead>>({
      pipeline_instance_vars: pipeline.instanceVars,
      paused: job.paused,
      paused_by: job.pausedBy,
      paused_at: unixSeconds(job.pausedAt),
      has_new_inputs: job.hasNewInputs,
      groups: job.groups,
      outputs: outputs.map(outputJson),
    }),
  };
}

function inputJson({ name, resource, trigger, passed }: StoredJobInput): JobInputAnswer {
  return { name, resource, trigger, ...withoutEmpty<OptionalFields<JobInputAnswer>>({ passed }) };
}

/** A summary leaves `trigger` out when it is false; the whole job does not. */
function inputSummaryJson({ name, resource, trigger, passed }: StoredJobInput): JobInputSummaryAnswer {
  return { name, resource, ...withoutEmpty<OptionalFields<JobInputSummaryAnswer>>({ passed, trigger }) };
}

function outputJson({ name, resource }: StoredJobOutput): JobOutputAnswer {
  return { name, resource };
}
