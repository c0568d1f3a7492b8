import { ConfigError } from '../error.ts';
import { isJsonObject } from '../fields.ts';
import { goType } from '../text/go-text.ts';
import type { Json, JsonObject } from '../values.ts';
import { formatReference, type VarReference } from './reference.ts';

/**
 * Looks a variable up and follows its fields. Undefined: there is no such variable; null is a value. An error ends the
 * interpolation.
 */
export type Lookup = (reference: VarReference) => Promise<Json | undefined> | Json | undefined;

/** Looks variables up in a map. They have no source. */
export function staticLookup(vars: JsonObject): Lookup {
  return (reference) => {
    if (reference.source !== undefined || !Object.hasOwn(vars, reference.path)) return undefined;
    return followFields(vars[reference.path] as Json, reference);
  };
}

/** Asks one lookup after another; the first that has the variable wins. */
export function firstOf(lookups: readonly Lookup[]): Lookup {
  return async (reference) => {
    for (const lookup of lookups) {
      const value = await lookup(reference);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Looks variables up in their source. A source that does not exist is an error. */
export function namedLookups(sources: Readonly<Record<string, Lookup>>): Lookup {
  return (reference) => {
    const { source, ...plain } = reference;
    if (source === undefined) return undefined;
    const lookup = Object.hasOwn(sources, source) ? sources[source] : undefined;
    if (lookup === undefined) {
      throw new ConfigError('missing-source', `missing source '${source}' in var: ${formatReference(reference)}`);
    }
    return lookup(plain);
  };
}

/** Follows the fields of a reference into a variable's value. */
export function followFields(value: Json, reference: VarReference): Json {
  let current = value;
  for (const field of reference.fields) {
    const name = formatReference(reference);
    if (!isJsonObject(current)) {
      throw new ConfigError(
        'invalid-field',
        `cannot access field '${field}' of non-map value ('${goType(current)}') from var: ${name}`,
      );
    }
    if (!Object.hasOwn(current, field)) {
      throw new ConfigError('missing-field', `missing field '${field}' in var: ${name}`);
    }
    current = current[field] as Json;
  }
  return current;
}
