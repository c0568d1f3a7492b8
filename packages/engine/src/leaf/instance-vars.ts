import { isRawNumber, type Json, type JsonObject, parseYaml } from '@seaplane/config';

/** Instance variables as people read and write them: `branch:main,env.name:"a b"`. */
export function formatInstanceVars(vars: JsonObject): string {
  return flattenVars('', vars)
    .map(([name, value]) => `${name}:${formatValue(value)}`)
    .join(',');
}

/** The query that picks a pipeline among the instances of its name: `vars.branch=%22main%22`; empty if there are none. */
export function instanceVarsQuery(vars: JsonObject): string {
  return new URLSearchParams(
    flattenVars('vars', vars).map(([name, value]) => [name, JSON.stringify(value)] as [string, string]),
  ).toString();
}

/** Values by their paths, sorted. Only maps are gone into. */
function flattenVars(path: string, vars: JsonObject): [string, Json][] {
  return Object.entries(vars)
    .flatMap(([key, value]): [string, Json][] => {
      const name = path ? `${path}.${key}` : key;
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
      return isMap ? flattenVars(name, value as JsonObject) : [[name, value]];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Text stands bare unless it would be read as something else. */
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
