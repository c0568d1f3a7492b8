import type { Pipeline } from '@seaplane/db';
import type { PipelineAnswer } from '../answers/pipeline.ts';
import { unixSeconds } from './unix-seconds.ts';
import { type OptionalFields, withoutEmpty } from './without-empty.ts';

export function pipelineJson(pipeline: Pipeline): PipelineAnswer {
  const { groups, display, user_data } = pipeline.shown;
  return {
    id: pipeline.id,
    name: pipeline.name,
    paused: pipeline.paused,
    public: pipeline.public,
    archived: pipeline.archived,
    team_name: pipeline.teamName,
    ...withoutEmpty<OptionalFields<PipelineAnswer>>({
      instance_vars: pipeline.instanceVars,
      paused_by: pipeline.pausedBy,
      paused_at: unixSeconds(pipeline.pausedAt),
      groups,
      display,
      user_data,
      parent_build_id: pipeline.parentBuildId,
      parent_job_id: pipeline.parentJobId,
      last_updated: unixSeconds(pipeline.updatedAt),
    }),
  };
}
