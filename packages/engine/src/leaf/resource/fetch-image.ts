import type { Plan, TypeImage } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { StepImage } from '../../seams.ts';
import { childScope } from '../../walk/build-state.ts';
import type { StepVisit } from '../../walk/step-visit.ts';
import { resolveVars } from '../variables.ts';

export interface FetchedImage {
  readonly image: StepImage;
  readonly imageCacheId: string;
}

/** Fetches an image in a scope of its own: a check for the version, unless it is given, then a get. */
export async function fetchImage(
  visit: StepVisit,
  getPlan: Plan,
  checkPlan: Plan | undefined,
  privileged: boolean,
): Promise<FetchedImage> {
  const scope = { ...childScope(visit.state), forImage: true };
  if (checkPlan && (await visit.walk.stepOf(checkPlan, [])(visit.ctx, scope)) !== 'succeeded') {
    throw new EngineError('image-failed', 'image check failed');
  }
  if ((await visit.walk.stepOf(getPlan, [])(visit.ctx, scope)) !== 'succeeded') {
    throw new EngineError('image-failed', 'image fetching failed');
  }
  const { artifact, image, cacheId } = scope.fetched.get(getPlan.id) ?? {};
  if (cacheId !== undefined && artifact) {
    return { image: { kind: 'artifact', artifact, privileged }, imageCacheId: cacheId };
  }
  if (cacheId !== undefined && image && 'get' in getPlan) {
    // Looked up when a worker has to pull the image: a step that runs already does not need it, and may outlive its variables.
    const source = () => resolveVars(visit, getPlan.get.source);
    return { image: { kind: 'pulled', image, source, privileged }, imageCacheId: cacheId };
  }
  throw new EngineError('invalid-plan', `the plan ${getPlan.id} for an image fetches nothing`);
}

/** `imageCacheId` is absent for a base type. */
export type ResourceImage = Pick<FetchedImage, 'image'> & Partial<FetchedImage>;

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
  return fetchImage(visit, plan.get_plan, plan.check_plan, privileged);
}
