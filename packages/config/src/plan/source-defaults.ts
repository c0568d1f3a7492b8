import type { ResourceType } from '../pipeline/pipeline.ts';
import type { JsonObject } from '../values.ts';
import type { ResourceTypeConfig } from './plan.ts';

/** What an operator puts under every source of a base type. */
export type BaseTypeDefaults = Readonly<Record<string, JsonObject>>;

/** A source over the defaults of its type: of the pipeline's own type when there is one, else of the base type. */
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
 * A pipeline's types as plans need them: each with the defaults of its own type under its source. A type called as its
 * own type stands on the base type, not on itself.
 */
export function typesWithDefaults(
  types: readonly ResourceType[],
  baseDefaults: BaseTypeDefaults = {},
): ResourceTypeConfig[] {
  return types.map((type) => {
    const others = types.filter((other) => other !== type);
    return { ...type, source: sourceWithDefaults(type.type, type.source, others, baseDefaults) };
  });
}
