import type { JsonObject, TypeImage } from '@seaplane/config';
import { resourceEnv } from '../build-env.ts';
import type { ResolvedResource } from '../seams.ts';
import type { StepRun } from '../step-run.ts';
import { resourceImage } from './fetch-image.ts';
import { resolveVars } from './variables.ts';

interface ResourcePlan {
  readonly type: string;
  readonly source: JsonObject;
  readonly image: TypeImage;
  readonly tags?: readonly string[];
}

/** A resource as its scripts see it: variables looked up (`blame` begins the error if one can't be), image fetched. */
export async function resolveResource(at: StepRun, plan: ResourcePlan, blame = ''): Promise<ResolvedResource> {
  const source = await resolveVars(at, plan.source).catch((error: Error) => {
    throw new Error(blame + error.message, { cause: error });
  });
  return {
    type: plan.type,
    source,
    ...(await resourceImage(at, plan.type, plan.image)),
    tags: plan.tags ?? [],
    env: resourceEnv(at.run.build, at.ctx),
  };
}
