import { formatReference, type Json } from '@seaplane/config';
import type { BuildInfo, Clock, EngineSeams, Journal, Pipelines, Resources, Variables } from '../seams.ts';
import { memoryOrchestrator } from './memory-orchestrator.ts';
import type { World } from './memory-world.ts';

export const TEST_BUILD: BuildInfo = {
  id: 42,
  name: '7',
  teamId: 1,
  teamName: 'main',
  jobId: 3,
  jobName: 'job',
  pipelineId: 2,
  pipelineName: 'pipeline',
  externalUrl: 'https://ci.example.com',
};

/** The engine's surroundings, all in memory. */
export function memorySeams(world: World, journal: Journal, clock: Clock): EngineSeams {
  return {
    clock,
    journal,
    orchestrator: memoryOrchestrator(world),
    resources: memoryResources(world),
    variables: memoryVariables(world),
    pipelines: memoryPipelines(world),
  };
}

function memoryResources({ checks, saved }: World): Resources {
  const save = (...what: unknown[]) => void saved.add(JSON.stringify(what));
  return {
    async beginCheck(_build, plan) {
      return {
        ...checks[plan.name],
        recordVersions: async (versions) => {
          save('checked', plan.name, versions);
          const latest = versions.at(-1);
          return latest ? { latest } : {};
        },
        recordFailure: async () => save('check failed', plan.name),
        [Symbol.asyncDispose]: async () => {},
      };
    },
    saveInputMetadata: async (_build, resource, version, metadata) => save('input', resource, version, metadata),
    saveOutput: async (_build, name, resource, { source }, version, metadata) =>
      save('output', name, resource, source, version, metadata),
  };
}

function memoryVariables({ variables, lookups }: World): Variables {
  return {
    async get(ref) {
      lookups.push(ref);
      const value: Json | (() => Json) | undefined = variables[formatReference(ref)];
      return typeof value === 'function' ? value() : value;
    },
    placesOf: async () => [],
  };
}

function memoryPipelines({ pipelines }: World): Pipelines {
  return {
    async setPipeline(_build, request) {
      pipelines.requests.set(request.planId, request);
      if (pipelines.result instanceof Error) throw pipelines.result;
      return pipelines.result;
    },
  };
}
