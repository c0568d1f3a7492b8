import { goJsonText, instanceVarsQuery } from '@seaplane/config';
import type { BuildInfo } from '../../seams.ts';
import type { StepContext } from '../../walk/step.ts';

/** The environment variables that describe the build to resource scripts. Variables that would be empty are not set. */
export function resourceEnv(build: BuildInfo, ctx: StepContext): Record<string, string> {
  const { externalUrl, teamName, pipelineName, pipelineInstanceVars, jobName } = build;
  const shortUrl = externalUrl && `${externalUrl}/builds/${build.id}`;
  const path =
    pipelineName && jobName && `teams/${teamName}/pipelines/${pipelineName}/jobs/${jobName}/builds/${build.name}`;
  return withoutEmpty({
    BUILD_ID: String(build.id),
    BUILD_NAME: build.name,
    BUILD_TEAM_ID: String(build.teamId),
    BUILD_TEAM_NAME: teamName,
    BUILD_JOB_ID: build.jobId?.toString(),
    BUILD_JOB_NAME: jobName,
    BUILD_PIPELINE_ID: build.pipelineId?.toString(),
    BUILD_PIPELINE_NAME: pipelineName,
    BUILD_PIPELINE_INSTANCE_VARS: pipelineInstanceVars && goJsonText(pipelineInstanceVars),
    ATC_EXTERNAL_URL: externalUrl,
    BUILD_URL: externalUrl && path ? `${externalUrl}/${path}${instanceQuery(build)}` : shortUrl,
    BUILD_URL_SHORT: shortUrl,
    BUILD_STATUS: ctx.hookOf,
  });
}

/** Tasks get no more than this, so that they do not depend on the build that runs them. */
export function taskEnv(build: BuildInfo): Record<string, string> {
  return withoutEmpty({ ATC_EXTERNAL_URL: build.externalUrl });
}

function instanceQuery({ pipelineInstanceVars }: BuildInfo): string {
  const query = instanceVarsQuery(pipelineInstanceVars);
  return query && `?${query}`;
}

function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
