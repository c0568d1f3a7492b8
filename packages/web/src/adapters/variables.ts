import {
  type JsonObject,
  type Lookup,
  namedLookups,
  orderVarSources,
  staticLookup,
  type VarSourceConfig,
} from '@seaplane/config';
import type { Queryable } from '@seaplane/db';
import type { BuildInfo, Variables } from '@seaplane/engine';
import { storedPipeline } from '@seaplane/scheduler';

/** The variables of a build: those of its pipeline's var sources. Read when first asked for, then kept for the build. */
export function variablesFor(db: Queryable, { pipelineId }: Pick<BuildInfo, 'pipelineId'>): Variables {
  let lookup: Promise<Lookup> | undefined;
  return {
    get: async (reference) => {
      lookup ??= sourcesOf(db, pipelineId).catch((error: unknown) => {
        lookup = undefined; // it may work the next time
        throw error;
      });
      return (await lookup)(reference);
    },
  };
}

async function sourcesOf(db: Queryable, pipelineId: number | undefined): Promise<Lookup> {
  const sources = pipelineId === undefined ? [] : (await storedPipeline(db, pipelineId)).var_sources;
  return namedLookups(Object.fromEntries(orderVarSources(sources).map((source) => [source.name, lookupOf(source)])));
}

function lookupOf({ name, type, config }: VarSourceConfig): Lookup {
  if (type === 'dummy') return staticLookup(((config as JsonObject | undefined)?.['vars'] ?? {}) as JsonObject);
  return () => {
    throw new Error(`the var source ${name} is of the type ${type}, which this version of Seaplane does not know`);
  };
}
