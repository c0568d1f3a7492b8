import type { GetPlan, MetadataField, Version } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { Fetched } from '../../seams.ts';
import type { BuildState } from '../../walk/build-state.ts';
import type { BuildWalk } from '../../walk/build-walk.ts';
import type { Step } from '../../walk/step.ts';
import type { StepPlace, StepVisit } from '../../walk/step-visit.ts';
import { attendProcess } from '../attend-process.ts';
import { leafStep } from '../leaf.ts';
import { resolveVars } from '../variables.ts';
import { resolveResource } from './resource.ts';

interface Got {
  readonly exitStatus: number;
  readonly version: Version | null;
  readonly metadata: readonly MetadataField[];
  readonly fetched?: Fetched;
}

/**
 * Fetches a version of a resource. It becomes an artifact, and its metadata a local variable, both by the step's name.
 */
export function getStep(walk: BuildWalk, place: StepPlace, plan: GetPlan): Step {
  const name = plan.name ?? plan.resource ?? plan.type;
  return leafStep<Got>(walk, place, {
    work: async (visit) => ({ done: await get(visit, plan, name) }),
    conclude: async ({ exitStatus, version, metadata, fetched }, { events, state }) => {
      await events.emit('finish-get', { exit_status: exitStatus, version, ...(metadata.length > 0 && { metadata }) });
      if (!fetched) return 'failed';
      state.fetched.set(place.id, fetched);
      if (fetched.artifact) state.artifacts.set(name, fetched.artifact);
      state.localVars.set(name, Object.fromEntries(metadata.map((field) => [field.name, field.value])));
      return 'succeeded';
    },
  });
}

async function get(visit: StepVisit, plan: GetPlan, name: string): Promise<Got> {
  await visit.events.emit('initialize-get', {});
  const resource = await resolveResource(visit, plan);
  const params = await resolveVars(visit, plan.params);
  const version = versionOf(plan, visit.state);
  await visit.events.emit('start-get', {});
  const timeout = plan.timeout || visit.walk.seams.defaults?.getTimeout;
  const { exitStatus, result } = await attendProcess(visit, { stepName: name, timeout }, (io) =>
    visit.walk.seams.orchestrator.get(io, {
      ...resource,
      version,
      ...(params ? { params } : {}),
      ...(visit.state.forImage ? { forImage: true } : {}),
    }),
  );
  if (!result) return { exitStatus, version: null, metadata: [] };
  const { version: got, metadata, ...fetched } = result;
  if (plan.resource) {
    await visit.walk.seams.resources.saveInputMetadata(visit.walk.build, plan.resource, got, metadata);
  }
  return { exitStatus, version: got, metadata, fetched };
}

function versionOf(plan: GetPlan, state: BuildState): Version {
  if (plan.version) return plan.version;
  if (plan.version_from === undefined) return {};
  const version = state.versions.get(plan.version_from);
  if (!version) throw new EngineError('version-missing', 'version is missing from previous step');
  return version;
}
