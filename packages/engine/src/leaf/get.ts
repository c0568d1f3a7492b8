import type { GetPlan, MetadataField, Version } from '@seaplane/config';
import type { BuildRun } from '../build-run.ts';
import { EngineError } from '../engine-error.ts';
import type { Fetched, RunState } from '../run-state.ts';
import type { Step } from '../step.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { leafStep } from './leaf.ts';
import { resolveResource } from './resource.ts';
import { runProcess } from './run-process.ts';
import { resolveVars } from './variables.ts';

interface Got {
  readonly exitStatus: number;
  readonly version: Version | null;
  readonly metadata: readonly MetadataField[];
  readonly fetched?: Fetched;
}

/** Fetches a version of a resource. What it fetched is an artifact, and its metadata a local variable, by its name. */
export function getStep(run: BuildRun, place: StepPlace, plan: GetPlan): Step {
  const name = plan.name ?? plan.resource ?? plan.type;
  return leafStep<Got>(run, place, {
    work: async (at) => ({ done: await get(at, plan, name) }),
    conclude: async ({ exitStatus, version, metadata, fetched }, { events, state }) => {
      await events.emit('finish-get', { exit_status: exitStatus, version, metadata });
      if (!fetched) return 'failed';
      state.fetched.set(place.id, fetched);
      state.artifacts.set(name, fetched.artifact);
      state.localVars.set(name, Object.fromEntries(metadata.map((field) => [field.name, field.value])));
      return 'succeeded';
    },
  });
}

async function get(at: StepRun, plan: GetPlan, name: string): Promise<Got> {
  await at.events.emit('initialize-get', {});
  const resource = await resolveResource(at, plan);
  const params = await resolveVars(at, plan.params);
  const version = versionOf(plan, at.state);
  await at.events.emit('start-get', {});
  const { exitStatus, result } = await runProcess(at, { stepName: name, timeout: plan.timeout }, (io) =>
    at.run.seams.orchestrator.get(io, { ...resource, version, ...(params ? { params } : {}) }),
  );
  if (!result) return { exitStatus, version: null, metadata: [] };
  const { artifact, cacheId, metadata } = result;
  if (plan.resource) {
    await at.run.seams.resources.saveInputMetadata(at.run.build, plan.resource, result.version, metadata);
  }
  return { exitStatus, version: result.version, metadata, fetched: { artifact, cacheId } };
}

function versionOf(plan: GetPlan, state: RunState): Version {
  if (plan.version) return plan.version;
  if (plan.version_from === undefined) return {};
  const version = state.versions.get(plan.version_from);
  if (!version) throw new EngineError('version-missing', 'version is missing from previous step');
  return version;
}
