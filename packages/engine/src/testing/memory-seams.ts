import { isDeepStrictEqual } from 'node:util';
import {
  type CheckPlan,
  followFields,
  formatReference,
  type Json,
  type JsonObject,
  parseYaml,
  type VarReference,
} from '@seaplane/config';
import type {
  BuildInfo,
  Clock,
  EngineSeams,
  Journal,
  Pipelines,
  ResolvedResource,
  Resources,
  Variables,
} from '../seams.ts';
import { memoryOrchestrator } from './memory-orchestrator.ts';
import type { CheckScope, World } from './memory-world.ts';

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
    defaults: world.defaults,
    yaml: { parse: async (text, _, options) => parseYaml(text, options) },
  };
}

/** A test may say where a check begins or that it is skipped (`checks`). Else the versions that were saved decide. */
function memoryResources({ checks, saved, newest, outputs }: World): Resources {
  const save = (...what: unknown[]) => void saved.add(JSON.stringify(what));
  const scopeOf = ({ name, source, interval }: CheckPlan): CheckScope => {
    const latest = newest.get(historyOf(name, source));
    if (checks[name] || !latest) return checks[name] ?? {};
    return interval ? { skip: { latest } } : { from: latest };
  };
  const configs = new Map<string, number>();
  const configOf = ({ type, source, imageCacheId }: ResolvedResource): number => {
    const key = JSON.stringify([type, source, imageCacheId]);
    if (!configs.has(key)) configs.set(key, configs.size + 1);
    return configs.get(key) ?? 0;
  };
  return {
    async beginCheck(_build, plan, resolved) {
      return {
        config: configOf(resolved),
        ...scopeOf(plan),
        recordVersions: async (versions) => {
          save('checked', plan.name, versions);
          const history = historyOf(plan.name, plan.source);
          const latest = versions.at(-1) ?? newest.get(history);
          if (latest) newest.set(history, latest);
          return latest ? { latest } : {};
        },
        recordFailure: async () => save('check failed', plan.name),
        [Symbol.asyncDispose]: async () => {},
      };
    },
    saveInputMetadata: async (_build, resource, version, metadata) => save('input', resource, version, metadata),
    saveOutput: async ({ id: buildId }, { name, resource }, { source }, version, metadata) => {
      save('output', name, resource, source, version, metadata);
      newest.set(historyOf(resource, source), version);
      const known = outputs.some((output) => isDeepStrictEqual(output, { buildId, name, version }));
      if (!known) outputs.push({ buildId, name, version });
    },
  };
}

/** Versions are known of a name with a source. */
function historyOf(name: string, source: JsonObject): string {
  return JSON.stringify([name, source]);
}

function memoryVariables({ variables, lookups }: World): Variables {
  return {
    async get(ref) {
      lookups.push(ref);
      const given = (key: VarReference): Json | (() => Json) | undefined => variables[formatReference(key)];
      const whole = given(ref);
      if (whole !== undefined) return typeof whole === 'function' ? whole() : whole;
      const value = given({ ...ref, fields: [] });
      return value === undefined || typeof value === 'function' ? undefined : followFields(value, ref);
    },
    placesOf: async () => [],
  };
}

function memoryPipelines({ pipelines }: World): Pipelines {
  const { requests, texts, results } = pipelines;
  return {
    async setPipeline({ id }, request) {
      const { planId, name, configText } = request;
      requests.set(planId, request);
      const step = `${id}/${planId}`;
      const earlier = results.get(step);
      if (earlier) return earlier;
      if (pipelines.result instanceof Error) throw pipelines.result;
      const before = texts.get(name);
      const [created, changed] = [before === undefined, before !== configText];
      const result = pipelines.result ?? { kind: 'set', created, changed, diff: '' };
      texts.set(name, configText);
      results.set(step, result);
      return result;
    },
  };
}
