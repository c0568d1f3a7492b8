import type { MetadataField, PutPlan, Version } from '@seaplane/config';
import type { BuildRun } from '../build-run.ts';
import type { Step } from '../step.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { leafStep } from './leaf.ts';
import { putInputs } from './put-inputs.ts';
import { resolveResource } from './resource.ts';
import { runProcess } from './run-process.ts';
import { resolveVars } from './variables.ts';

interface Made {
  readonly exitStatus: number;
  readonly version: Version | null;
  readonly metadata: readonly MetadataField[];
}

/** Makes a version of a resource, of what earlier steps left. */
export function putStep(run: BuildRun, place: StepPlace, plan: PutPlan): Step {
  return leafStep<Made>(run, place, {
    work: async (at) => ({ done: await put(at, plan) }),
    conclude: async ({ exitStatus, version, metadata }, { events, state }) => {
      await events.emit('finish-put', { exit_status: exitStatus, version, metadata });
      if (!version) return 'failed';
      state.versions.set(place.id, version);
      return 'succeeded';
    },
  });
}

async function put(at: StepRun, plan: PutPlan): Promise<Made> {
  const { build, seams } = at.run;
  await at.events.emit('initialize-put', {});
  const params = await resolveVars(at, plan.params);
  const inputs = putInputs(plan, at.state.artifacts);
  const resolved = await resolveResource(at, plan);
  const createdBy = plan.expose_build_created_by && build.createdBy ? { BUILD_CREATED_BY: build.createdBy } : {};
  const resource = { ...resolved, env: { ...resolved.env, ...createdBy } };
  const options = {
    stepName: plan.name,
    timeout: plan.timeout,
    onStarting: () => at.events.emit('start-put', {}),
  };
  const { exitStatus, result } = await runProcess(at, options, (io) =>
    seams.orchestrator.put(io, { ...resource, inputs, ...(params ? { params } : {}) }),
  );
  if (!result) return { exitStatus, version: null, metadata: [] };
  const { version, metadata } = result;
  if (plan.resource) {
    await seams.resources.saveOutput(build, plan.name, plan.resource, resource, version, metadata);
  }
  return { exitStatus, version, metadata };
}
