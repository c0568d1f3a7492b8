import type { MetadataField, PutPlan, Version } from '@seaplane/config';
import type { BuildWalk } from '../../walk/build-walk.ts';
import type { Step } from '../../walk/step.ts';
import type { StepPlace, StepVisit } from '../../walk/step-visit.ts';
import { attendProcess } from '../attend-process.ts';
import { leafStep } from '../leaf.ts';
import { resolveVars } from '../variables.ts';
import { putInputs } from './put-inputs.ts';
import { resolveResource } from './resource.ts';

interface Made {
  readonly exitStatus: number;
  readonly version: Version | null;
  readonly metadata: readonly MetadataField[];
}

/** Makes a version of a resource out of the artifacts of earlier steps. */
export function putStep(walk: BuildWalk, place: StepPlace, plan: PutPlan): Step {
  return leafStep<Made>(walk, place, {
    work: async (visit) => ({ done: await put(visit, plan) }),
    conclude: async ({ exitStatus, version, metadata }, { events, state }) => {
      await events.emit('finish-put', { exit_status: exitStatus, version, ...(metadata.length > 0 && { metadata }) });
      if (!version) return 'failed';
      state.versions.set(place.id, version);
      return 'succeeded';
    },
  });
}

async function put(visit: StepVisit, plan: PutPlan): Promise<Made> {
  const { build, seams } = visit.walk;
  await visit.events.emit('initialize-put', {});
  const params = await resolveVars(visit, plan.params);
  const inputs = putInputs(plan, visit.state.artifacts);
  const resolved = await resolveResource(visit, plan);
  const createdBy = plan.expose_build_created_by && build.createdBy ? { BUILD_CREATED_BY: build.createdBy } : {};
  const resource = { ...resolved, env: { ...resolved.env, ...createdBy } };
  const options = {
    stepName: plan.name,
    timeout: plan.timeout || seams.defaults?.putTimeout,
    onStarting: () => visit.events.emit('start-put', {}),
  };
  const { exitStatus, result } = await attendProcess(visit, options, (io) =>
    seams.orchestrator.put(io, { ...resource, inputs, ...(params ? { params } : {}) }),
  );
  if (!result) return { exitStatus, version: null, metadata: [] };
  const { version, metadata } = result;
  if (plan.resource) {
    await seams.resources.saveOutput(build, { ...plan, resource: plan.resource }, resource, version, metadata);
  }
  return { exitStatus, version, metadata };
}
