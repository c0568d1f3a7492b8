import {
  type Build,
  findBuilds,
  type Pipeline,
  type Queryable,
  type Resource,
  type ResourceVersion,
} from '@seaplane/db';
import type { ResourceAnswer, VersionAnswer } from '../answers/resource.ts';
import { buildSummaryJson } from './build-json.ts';
import { unixSeconds } from './unix-seconds.ts';
import { type OptionalFields, withoutEmpty } from './without-empty.ts';

/** Each resource has the build of its last check. */
export async function resourcesJson(
  db: Queryable,
  resources: readonly Resource[],
  pipelines: readonly Pipeline[],
): Promise<ResourceAnswer[]> {
  const checkIds = resources.flatMap(({ lastCheckBuildId }) => lastCheckBuildId ?? []);
  const checks = new Map((await findBuilds(db, checkIds)).map((build) => [build.id, build]));
  const pipelineById = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  return resources.flatMap((resource) => {
    const pipeline = pipelineById.get(resource.pipelineId);
    return pipeline ? [resourceJson(resource, pipeline, checks.get(resource.lastCheckBuildId ?? 0))] : [];
  });
}

function resourceJson(resource: Resource, pipeline: Pipeline, check: Build | undefined): ResourceAnswer {
  return {
    name: resource.name,
    pipeline_id: pipeline.id,
    pipeline_name: pipeline.name,
    team_name: pipeline.teamName,
    type: resource.type,
    ...withoutEmpty<OptionalFields<ResourceAnswer>>({
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

/** Metadata may reveal more than the version does, so it is for the team, unless the resource is public. */
export function versionJson(
  { id, version, metadata, enabled }: ResourceVersion,
  show: { readonly metadata: boolean },
): VersionAnswer {
  const shown = show.metadata ? metadata : undefined;
  return { id, version, enabled, ...withoutEmpty<OptionalFields<VersionAnswer>>({ metadata: shown }) };
}
