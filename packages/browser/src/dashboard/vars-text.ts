import type { Json, JsonObject } from '@seaplane/config/values';

/** Instance vars for a person: `branch: main, os.arch: arm64`. */
export function varsText(vars: JsonObject): string {
  return leavesOf(vars, [])
    .map(([path, value]) => `${path}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function leavesOf(vars: JsonObject, path: readonly string[]): (readonly [path: string, value: Json])[] {
  return Object.entries(vars).flatMap(([key, value]) =>
    isObject(value) ? leavesOf(value, [...path, key]) : [[[...path, key].join('.'), value] as const],
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
