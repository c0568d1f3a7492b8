import {
  type Build,
  findBuilds,
  type Pipeline,
  type Queryable,
  type Resource,
  type ResourceVersion,
} from '@seaplane/db';
import { buildSummaryJson } from './build-json.ts';
import { unixSeconds } from './unix-seconds.ts';
import { withoutEmpty } from './without-empty.ts';

/** Resources as fly reads them (docs/concourse/fly-api.md, section 3.6), each with the build of its last check. */
export async function resourcesJson(
  db: Queryable,
  resources: readonly Resource[],
  pipelines: readonly Pipeline[],
): Promise<object[]> {
  const checkIds = resources.flatMap(({ lastCheckBuildId }) => lastCheckBuildId ?? []);
  const checks = new Map((await findBuilds(db, checkIds)).map((build) => [build.id, build]));
  const pipelineById = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  return resources.flatMap((resource) => {
    const pipeline = pipelineById.get(resource.pipelineId);
    return pipeline ? [resourceJson(resource, pipeline, checks.get(resource.lastCheckBuildId ?? 0))] : [];
  });
}

function resourceJson(resource: Resource, pipeline: Pipeline, check: Build | undefined): object {
  return {
    name: resource.name,
    pipeline_id: pipeline.id,
    pipeline_name: pipeline.name,
    team_name: pipeline.teamName,
    type: resource.type,
    ...withoutEmpty({
      pipeline_instance_vars: pipeline.instanceVars,
      last_checked: unixSeconds(resource.lastCheckEndedAt),
      icon: resource.config?.['icon'],
      pinned_version: resource.pinnedVersion,
      pinned_in_config: resource.pinnedInConfig,
      pin_comment: resource.pinComment,
      build: check && buildSummaryJson(check),
    }),
  };
}

/** Metadata may say more than a version does: it is for the team, but for that of public resources. */
export function versionJson(
  { id, version, metadata, enabled }: ResourceVersion,
  show: { readonly metadata: boolean },
): object {
  return { id, version, enabled, ...withoutEmpty({ metadata: show.metadata ? metadata : undefined }) };
}
