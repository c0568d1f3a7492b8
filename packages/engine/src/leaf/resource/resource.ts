import type { JsonObject, TypeImage } from '@seaplane/config';
import type { ResolvedResource } from '../../seams.ts';
import type { StepVisit } from '../../walk/step-visit.ts';
import { resolveVars } from '../variables.ts';
import { resourceEnv } from './build-env.ts';
import { resolveResourceImage } from './fetch-image.ts';

interface ResourcePlan {
  readonly type: string;
  readonly source: JsonObject;
  readonly image: TypeImage;
  readonly tags?: readonly string[];
}

/** Looks up the variables of a resource and fetches its image. `blame` begins the message about a failed lookup. */
export async function resolveResource(visit: StepVisit, plan: ResourcePlan, blame = ''): Promise<ResolvedResource> {
  const source = await resolveVars(visit, plan.source).catch((error: Error) => {
    throw new Error(blame + error.message, { cause: error });
  });
  return {
    type: plan.type,
    source,
    ...(await resolveResourceImage(visit, plan.type, plan.image)),
    tags: plan.tags ?? [],
    env: resourceEnv(visit.walk.build, visit.ctx),
  };
}
