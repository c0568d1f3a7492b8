import type { Credentials, VarScope } from '@seaplane/credentials';
import type { Queryable } from '@seaplane/db';
import type { BuildInfo, Variables } from '@seaplane/engine';
import type { StoredPipelines } from '@seaplane/scheduler';

export interface VariablesContext {
  readonly pool: Queryable;
  readonly credentials: Credentials;
  readonly storedPipelines: StoredPipelines;
}

type Owner = Pick<BuildInfo, 'teamName' | 'pipelineId' | 'pipelineName' | 'pipelineInstanceVars' | 'jobName'>;

/**
 * The variables of a build, or of a pipeline: those of the pipeline's var sources. The sources are read at the first
 * lookup and then kept for the build; their managers are shared by all builds.
 */
export function variablesFor(context: VariablesContext, owner: Owner): Variables {
  let opened: Promise<Variables> | undefined;
  const open = () => {
    opened ??= openVariables(context, owner).catch((error: unknown) => {
      opened = undefined; // the next lookup may succeed
      throw error;
    });
    return opened;
  };
  return {
    get: async (reference, signal) => (await open()).get(reference, signal),
    placesOf: async (reference, signal) => (await open()).placesOf(reference, signal),
  };
}

async function openVariables(
  { pool, credentials, storedPipelines }: VariablesContext,
  owner: Owner,
): Promise<Variables> {
  const { pipelineId } = owner;
  const sources = pipelineId === undefined ? [] : (await storedPipelines.read(pool, pipelineId)).var_sources;
  return credentials.variables(sources, scopeOf(owner));
}

function scopeOf({ teamName, pipelineName, pipelineInstanceVars, jobName }: Owner): VarScope {
  return {
    team: teamName,
    ...(pipelineName === undefined ? {} : { pipeline: pipelineName }),
    ...(pipelineInstanceVars === undefined ? {} : { instanceVars: pipelineInstanceVars }),
    ...(jobName === undefined ? {} : { job: jobName }),
  };
}
