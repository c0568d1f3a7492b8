import type { Build } from '@seaplane/db';
import { unixSeconds } from './unix-seconds.ts';
import { withoutEmpty } from './without-empty.ts';

/** A build as fly reads it (docs/concourse/fly-api.md, section 3.5). Comments are for those who may see its job. */
export function buildJson(build: Build, show?: { readonly comment: boolean }): object {
  return {
    id: build.id,
    team_name: build.teamName,
    name: build.name,
    status: build.status,
    api_url: `/api/v1/builds/${build.id}`,
    ...withoutEmpty({
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

/** The shorter form that stands inside jobs and resources. */
export function buildSummaryJson(build: Build): object {
  return {
    id: build.id,
    name: build.name,
    status: build.status,
    team_name: build.teamName,
    pipeline_id: build.pipelineId ?? 0,
    pipeline_name: build.pipelineName ?? '',
    ...withoutEmpty({
      start_time: unixSeconds(build.startedAt),
      end_time: unixSeconds(build.endedAt),
      pipeline_instance_vars: build.pipelineInstanceVars,
      job_name: build.jobName,
    }),
  };
}
