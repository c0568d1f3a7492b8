import { type Json, type JsonObject, parseJson } from '@seaplane/config';

/**
 * Reads instance vars from a query: `vars.branch="main"`, `vars.a."b.c"=1`, or `vars={...}` with single leaves on top.
 * `instanceVarsQuery` of config writes them. Undefined (the pipeline has no instance vars) differs from `{}`. Throws if a
 * value is not JSON, or `vars` is not an object.
 */
export function parseInstanceVars(query: URLSearchParams): JsonObject | undefined {
  const given = [...query]
    .filter(([key]) => key === 'vars' || key.startsWith('vars.'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (given.length === 0) return undefined;
  let vars: JsonObject = {};
  for (const [key, text] of given) {
    const value = parseJson(text);
    const path = splitPath(key).slice(1);
    if (path.length > 0) vars = withValue(vars, path, value);
    else if (isObject(value)) vars = value;
    else throw new TypeError(`${key} is not a JSON object`);
  }
  return vars;
}

/** `vars.a."b.c"` -> ['vars', 'a', 'b.c'] */
function splitPath(key: string): string[] {
  return [...key.matchAll(/"((?:[^"\\]|\\.)*)"|[^."]+/g)].map(([whole, quoted]) => quoted ?? whole);
}

function withValue(tree: Json | undefined, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const object = isObject(tree) ? tree : {};
  return { ...object, [key]: rest.length === 0 ? value : withValue(object[key], rest, value) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
