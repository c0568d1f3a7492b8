import { type Json, type JsonObject, parseJson } from '@seaplane/config';

/**
 * Reads instance vars from a query: `vars.branch="main"`, `vars.a."b.c"=1`, or `vars={...}` with single ones on top.
 * None at all means that the pipeline is not an instance, which is another thing than `{}`. Throws on what is not JSON,
 * and on `vars` that are no object.
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

/** The same as a query, for links. Empty when there are none. */
export function instanceVarsQuery(vars: JsonObject | undefined): string {
  return vars === undefined ? '' : `vars=${encodeURIComponent(JSON.stringify(vars))}`;
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
