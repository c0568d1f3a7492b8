import type { ResourceConfig, ResourceType } from '../pipeline/pipeline.ts';
import type { Version } from '../values.ts';
import { imageForType } from './image-plan.ts';
import type { CheckPlan, Plan } from './plan.ts';
import { type BaseTypeDefaults, sourceWithDefaults, typesWithDefaults } from './source-defaults.ts';

/** How often a resource or type without `check_every` is checked. */
export const DEFAULT_CHECK_INTERVAL = '1m0s';

export interface CheckPlanOptions {
  readonly resourceTypes: readonly ResourceType[];
  /** The version to check from. Default: the newest known version. */
  readonly from?: Version | undefined;
  /** Somebody asked for the check, so it runs however recent the last check was. */
  readonly skipInterval: boolean;
  /** The same for the checks of its types. */
  readonly skipTypeIntervals?: boolean;
  /** The interval of a resource or type without one: a duration in Go's form. Default: one minute. */
  readonly defaultInterval?: string;
  /** The same for the images of its types. */
  readonly imageInterval?: string;
  readonly baseTypeDefaults?: BaseTypeDefaults;
}

/** An operator's intervals for what has no `check_every`: durations in Go's form. Default: one minute each. */
export interface CheckIntervals {
  /** Also for images, of types and of tasks. */
  readonly resource?: string;
  readonly resourceWithWebhook?: string;
  /** For checks of a type that users ask for. */
  readonly resourceType?: string;
}

type Checkable = Pick<CheckPlan, 'resource' | 'resource_type' | 'prototype' | 'timeout'>;

/** The plan of a build that checks one resource. */
export function buildResourceCheckPlan(resource: ResourceConfig, options: CheckPlanOptions): Plan {
  const { name, check_timeout: timeout } = resource;
  return checkPlan(resource, options.resourceTypes, options, {
    resource: name,
    ...(timeout !== undefined && { timeout }),
  });
}

/** The plan of a build that checks a resource type. Within it, the type's own name means the base type of that name. */
export function buildResourceTypeCheckPlan(type: ResourceType, options: CheckPlanOptions): Plan {
  return checkPlan(type, without(options.resourceTypes, type), options, { resource_type: type.name });
}

/** The plan of a build that checks a prototype. */
export function buildPrototypeCheckPlan(prototype: ResourceType, options: CheckPlanOptions): Plan {
  return checkPlan(prototype, options.resourceTypes, options, { prototype: prototype.name });
}

function without(types: readonly ResourceType[], { name }: ResourceType): ResourceType[] {
  return types.filter((type) => type.name !== name);
}

function checkPlan(
  checked: ResourceConfig | ResourceType,
  resourceTypes: readonly ResourceType[],
  options: CheckPlanOptions,
  checkable: Checkable,
): Plan {
  const id = '1';
  const { name, type, tags } = checked;
  const types = typesWithDefaults(resourceTypes, options.baseTypeDefaults, options.imageInterval);
  const skipInterval = options.skipInterval && (options.skipTypeIntervals ?? false);
  return {
    id,
    check: {
      name,
      type,
      source: sourceWithDefaults(type, checked.source, types, options.baseTypeDefaults),
      image: imageForType(id, type, types, { tags, skipInterval }),
      ...(options.from !== undefined && { from_version: options.from }),
      ...checkable,
      interval: checked.check_every || (options.defaultInterval ?? DEFAULT_CHECK_INTERVAL),
      ...(options.skipInterval && { skip_interval: true }),
      ...(tags !== undefined && { tags }),
    },
  };
}
