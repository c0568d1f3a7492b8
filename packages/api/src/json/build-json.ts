import type { Build } from '@seaplane/db';

/** A build as fly reads it (fly-api 3.5). Keys with nothing to say are left out. */
export function buildJson(build: Build): object {
  return {
    id: build.id,
    team_name: build.teamName,
    name: build.name,
    status: build.status,
    api_url: `/api/v1/builds/${build.id}`,
    ...optional('comment', build.comment),
    ...optional('job_name', build.jobName),
    ...optional('resource_name', build.resourceName),
    ...optional('pipeline_id', build.pipelineId),
    ...optional('pipeline_name', build.pipelineName),
    ...optional('pipeline_instance_vars', build.pipelineInstanceVars),
    ...optional('start_time', unixSeconds(build.startedAt)),
    ...optional('end_time', unixSeconds(build.endedAt)),
    ...optional('reap_time', unixSeconds(build.reapedAt)),
    ...optional('rerun_number', build.rerunNumber),
    ...(build.rerunOf === undefined ? {} : { rerun_of: { id: build.rerunOf, name: build.rerunOfName ?? '' } }),
    ...optional('created_by', build.createdBy),
  };
}

/** The shorter form that stands inside jobs and resources. */
export function buildSummaryJson(build: Build): object {
  return {
    id: build.id,
    name: build.name,
    status: build.status,
    team_name: build.teamName,
    ...optional('start_time', unixSeconds(build.startedAt)),
    ...optional('end_time', unixSeconds(build.endedAt)),
    ...optional('pipeline_id', build.pipelineId),
    ...optional('pipeline_name', build.pipelineName),
    ...optional('pipeline_instance_vars', build.pipelineInstanceVars),
    ...optional('job_name', build.jobName),
  };
}

export function optional<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined || value === '' ? {} : { [key]: value }) as { [P in K]?: T };
}

export function unixSeconds(date: Date | undefined): number | undefined {
  return date && Math.floor(date.getTime() / 1000);
}
