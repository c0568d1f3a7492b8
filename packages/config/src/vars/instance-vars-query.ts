import { isRawNumber } from '../text/exact-number.ts';
import type { Json, JsonObject } from '../values.ts';
import { formatReference } from './reference.ts';

/**
 * The query that picks a pipeline among the instances of its name, in the form that fly writes: one parameter for each
 * leaf, `vars.branch=%22main%22` (docs/concourse/fly-api.md, section 1). Empty without instance vars. `{}`, and keys that
 * a parameter's name cannot hold, are written as one parameter `vars`.
 */
export function instanceVarsQuery(vars: JsonObject | undefined): string {
  if (vars === undefined) return '';
  const leaves = leavesOf([], vars);
  const flat = leaves.length > 0 && leaves.every(([path]) => path.every(isPlainKey));
  const parameters = flat
    ? leaves.map(([path, value]): [string, Json] => [`vars.${formatPath(path)}`, value]).toSorted(byName)
    : ([['vars', vars]] as const);
  return new URLSearchParams(
    parameters.map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
  ).toString();
}

type Leaf = readonly [path: readonly string[], value: Json];

/** Every value with its path. Only maps that hold something are gone into. */
export function leavesOf(path: readonly string[], vars: JsonObject): Leaf[] {
  return Object.entries(vars).flatMap(([key, value]): Leaf[] =>
    isFullMap(value) ? leavesOf([...path, key], value) : [[[...path, key], value]],
  );
}

function isFullMap(value: Json): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return false;
  return Object.keys(value).length > 0;
}

export function formatPath([path = '', ...fields]: readonly string[]): string {
  return formatReference({ path, fields });
}

/** Whether a reference can hold the key: it has no way to escape a quote. */
function isPlainKey(key: string): boolean {
  return key.trim() === key && /^[^"\\\p{Cc}\p{Cs}]+$/u.test(key);
}

export function byName([a]: readonly [string, Json], [b]: readonly [string, Json]): number {
  return a < b ? -1 : 1;
}
