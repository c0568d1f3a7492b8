import type { Json, JsonObject } from '../values.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { byName, formatPath, leavesOf } from './instance-vars-query.ts';

/** Instance vars as people read and write them: `branch:main,env.name:"a b"`. */
export function formatInstanceVars(vars: JsonObject): string {
  return leavesOf([], vars)
    .map(([path, value]): [string, Json] => [formatPath(path), value])
    .toSorted(byName)
    .map(([name, value]) => `${name}:${formatValue(value)}`)
    .join(',');
}

/** A text stands without quotes unless YAML would read it as something else. */
function formatValue(value: Json): string {
  return typeof value === 'string' && isPlainText(value) ? value : JSON.stringify(value);
}

function isPlainText(text: string): boolean {
  if (/[,: /]/.test(text)) return false;
  try {
    return typeof parseYaml(text) === 'string';
  } catch {
    return false;
  }
}
