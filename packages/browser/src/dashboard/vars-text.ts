import type { Json, JsonObject } from '@seaplane/config/values';

type Leaf = readonly [path: string, value: Json];

/** Instance vars for a person, by name: `branch: main, os.arch: arm64`. */
export function varsText(vars: JsonObject): string {
  return textOf(leavesOf(vars, []));
}

/** The same for the instance vars of an address. Empty if there are none. */
export function varsTextOfQuery(query: string): string {
  return textOf(
    [...new URLSearchParams(query)].flatMap(([name, text]): Leaf[] => {
      const value = parse(text);
      return name === 'vars' && isObject(value) ? leavesOf(value, []) : [[name.replace(/^vars\./, ''), value]];
    }),
  );
}

function textOf(leaves: readonly Leaf[]): string {
  return leaves
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, value]) => `${path}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** A text that is not JSON stands for itself: the server says what is wrong with it. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function leavesOf(vars: JsonObject, path: readonly string[]): Leaf[] {
  return Object.entries(vars).flatMap(([key, value]): Leaf[] =>
    isObject(value) ? leavesOf(value, [...path, key]) : [[[...path, key].join('.'), value]],
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
