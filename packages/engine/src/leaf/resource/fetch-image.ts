import type { Plan, TypeImage } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { StepImage } from '../../seams.ts';
import { childScope, type Fetched } from '../../walk/build-state.ts';
import type { StepVisit } from '../../walk/step-visit.ts';

/** Fetches an image in a scope of its own: a check for the version, unless it is given, then a get. */
export async function fetchImage(visit: StepVisit, getPlan: Plan, checkPlan: Plan | undefined): Promise<Fetched> {
  const scope = childScope(visit.state);
  if (checkPlan && (await visit.walk.stepOf(checkPlan, [])(visit.ctx, scope)) !== 'succeeded') {
    throw new EngineError('image-failed', 'image check failed');
  }
  if ((await visit.walk.stepOf(getPlan, [])(visit.ctx, scope)) !== 'succeeded') {
    throw new EngineError('image-failed', 'image fetching failed');
  }
  const fetched = scope.fetched.get(getPlan.id);
  if (!fetched) throw new EngineError('invalid-plan', `the plan ${getPlan.id} for an image fetches nothing`);
  return fetched;
}

export interface ResourceImage {
  readonly image: StepImage;
  readonly imageCacheId?: string;
}

/** The image of a resource's scripts: that of the base type, or the fetched image of a custom type. */
export async function resolveResourceImage(visit: StepVisit, type: string, plan: TypeImage): Promise<ResourceImage> {
  const privileged = plan.privileged ?? false;
  if (!plan.get_plan) {
    const { base_type: baseType = type } = plan;
    // Templates of `across` are filled here, so no reader of plans has seen this one.
    if (baseType !== type) {
      throw new EngineError('invalid-plan', `the base type ${baseType} is not the type of the step, which is ${type}`);
    }
    return { image: { kind: 'base-type', type, privileged } };
  }
  const { artifact, cacheId } = await fetchImage(visit, plan.get_plan, plan.check_plan);
  return { image: { kind: 'artifact', artifact, privileged }, imageCacheId: cacheId };
}
