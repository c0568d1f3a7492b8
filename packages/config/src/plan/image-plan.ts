import type { ImageResource } from '../task/task-config.ts';
import type { CheckPlan, GetPlan, Plan, ResourceTypeConfig, TaskPlan, TypeImage } from './plan.ts';
import { type BaseTypeDefaults, sourceWithDefaults } from './source-defaults.ts';

const DEFAULT_INTERVAL = '1m0s';

/** How an image is fetched: a check for its version, unless the version is given, then a get. */
export interface ImagePlan {
  readonly check?: Plan & { readonly check: CheckPlan };
  readonly get: Plan & { readonly get: GetPlan };
}

/**
 * The plans that fetch a task's image. They are made while the build runs, because only then the configuration is
 * known. Their ids are the task's with `/image-check` and `/image-get`.
 */
export function buildImagePlan(
  taskPlanId: string,
  image: ImageResource,
  task: Pick<TaskPlan, 'resource_types' | 'tags' | 'check_skip_interval'>,
  baseDefaults: BaseTypeDefaults = {},
  interval?: string,
): ImagePlan {
  const types = task.resource_types ?? [];
  const source = sourceWithDefaults(image.type, image.source, types, baseDefaults);
  return fetchPlan(taskPlanId, { ...image, name: 'image', source }, types, {
    tags: task.tags,
    skipInterval: task.check_skip_interval ?? false,
    checkEvery: interval,
  });
}

interface FetchOptions {
  /** The tags of the step. The image's own tags take precedence. */
  readonly tags: readonly string[] | undefined;
  readonly skipInterval: boolean;
  readonly checkEvery?: string | undefined;
}

/**
 * The source of the image for a step of the given type. A type of the pipeline has plans to fetch its image, which may
 * use other types of the pipeline. Within them the type's own name means the base type of that name.
 */
export function imageForType(
  planId: string,
  type: string,
  types: readonly ResourceTypeConfig[],
  options: Omit<FetchOptions, 'checkEvery'>,
): TypeImage {
  const custom = types.find(({ name }) => name === type);
  if (custom === undefined) return { base_type: type };
  const { check_every: checkEvery, privileged } = custom;
  const others = types.filter(({ name }) => name !== type);
  const { check, get } = fetchPlan(planId, custom, others, { ...options, checkEvery });
  const { base_type: baseType } = get.get.image;
  return {
    ...(check !== undefined && { check_plan: { ...check, check: { ...check.check, resource_type: type } } }),
    get_plan: get,
    ...(baseType !== undefined && { base_type: baseType }),
    ...(privileged && { privileged }),
  };
}

function fetchPlan(
  planId: string,
  image: Omit<ImageResource, 'name' | 'source'> & Pick<ResourceTypeConfig, 'name' | 'source'>,
  types: readonly ResourceTypeConfig[],
  options: FetchOptions,
): ImagePlan {
  const tags = image.tags !== undefined && image.tags.length > 0 ? image.tags : options.tags;
  const inner = { tags, skipInterval: options.skipInterval };
  const { name, type, source, params, version } = image;
  const tagged = tags !== undefined && tags.length > 0 ? { tags } : {};
  const getId = `${planId}/image-get`;
  const checkId = `${planId}/image-check`;
  const get = {
    id: getId,
    get: {
      name,
      type,
      source,
      image: imageForType(getId, type, types, inner),
      ...(version === undefined ? { version_from: checkId } : { version }),
      ...(params !== undefined && { params }),
      ...tagged,
    },
  };
  if (version !== undefined) return { get };
  const check = {
    id: checkId,
    check: {
      name,
      type,
      source,
      image: imageForType(checkId, type, types, inner),
      interval: options.checkEvery ?? DEFAULT_INTERVAL,
      ...(options.skipInterval && { skip_interval: true }),
      ...tagged,
    },
  };
  return { check, get };
}
