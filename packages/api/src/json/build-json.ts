import type { Build } from '@seaplane/db';
import type { BuildAnswer, BuildSummaryAnswer } from '../answers/build.ts';
import { unixSeconds } from './unix-seconds.ts';
import { type OptionalFields, withoutEmpty } from './without-empty.ts';

/** Shows the comment only if `show.comment` is set: a comment is for requesters who may see the build's job. */
export function buildJson(build: Build, show?: { readonly comment: boolean }): BuildAnswer {
  return {
    id: build.id,
    team_name: build.teamName,
    name: build.name,
    status: build.status,
    api_url: `/api/v1/builds/${build.id}`,
    ...withoutEmpty<OptionalFields<BuildAnswer>>({
      comment: show?.comment ? build.comment : undefined,
      job_name: build.jobName,
      resource_name: build.resourceName,
      pipeline_id: build.pipelineId,
      pipeline_name: build.pipelineName,
      pipeline_instance_vars: build.pipelineInstanceVars,
      start_time: unixSeconds(build.startedAt),
      end_time: unixSeconds(build.endedAt),
      reap_time: unixSeconds(build.reapedAt),
      rerun_number: build.rerunNumber,
      rerun_of: build.rerunOf === undefined ? undefined : { id: build.rerunOf, name: build.rerunOfName ?? '' },
      created_by: build.createdBy,
    }),
  };
}

export function buildSummaryJson(build: Build): BuildSummaryAnswer {
  return {
    id: build.id,
    name: build.name,
    status: build.status,
    team_name: build.teamName,
    pipeline_id: build.pipelineId ?? 0,
    pipeline_name: build.pipelineName ?? '',
    ...withoutEmpty<OptionalFields<BuildSummaryAnswer>>({
      start_time: unixSeconds(build.startedAt),
      end_time: unixSeconds(build.endedAt),
      pipeline_instance_vars: build.pipelineInstanceVars,
      job_name: build.jobName,
    }),
  };
}
