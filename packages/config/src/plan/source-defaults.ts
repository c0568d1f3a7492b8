import type { ResourceType } from '../pipeline/pipeline.ts';
import type { JsonObject } from '../values.ts';
import type { ResourceTypeConfig } from './plan.ts';

/** An operator's defaults for the sources of each base type. */
export type BaseTypeDefaults = Readonly<Record<string, JsonObject>>;

/** A source merged over the defaults of its type: the pipeline's type of that name, else the base type. */
export function sourceWithDefaults(
  type: string,
  source: JsonObject | null,
  types: readonly { readonly name: string; readonly defaults?: JsonObject }[],
  baseDefaults: BaseTypeDefaults = {},
): JsonObject {
  const custom = types.find(({ name }) => name === type);
  const defaults =
    custom === undefined ? (Object.hasOwn(baseDefaults, type) ? baseDefaults[type] : {}) : custom.defaults;
  return { ...defaults, ...source };
}

/**
 * A pipeline's types as plans need them: the source of each is merged over the defaults of its type. A type with the
 * name of its own type is based on the base type of that name. A type without `check_every` gets the interval, if there
 * is one.
 */
export function typesWithDefaults(
  types: readonly ResourceType[],
  baseDefaults: BaseTypeDefaults = {},
  interval?: string,
): ResourceTypeConfig[] {
  return types.map((type) => {
    const others = types.filter((other) => other !== type);
    const checked =
      interval !== undefined && type.check_every === undefined ? { ...type, check_every: interval } : type;
    return { ...checked, source: sourceWithDefaults(type.type, type.source, others, baseDefaults) };
  });
}
