import { type Json, type JsonObject, type Lookup, parseReference, parseYaml, staticLookup } from '@seaplane/config';
import { Mistake } from '../mistake.ts';
import type { Named } from './arguments.ts';

export interface GivenVars {
  readonly vars: readonly Named[];
  readonly yamlVars: readonly Named[];
  /** The texts of files, by their names, in the order given. */
  readonly files: readonly Named[];
}

/** The variables of the command line by their precedence, highest first: those of flags, then files, the last one first. */
export function givenVariables({ vars, yamlVars, files }: GivenVars): JsonObject[] {
  const flags: Record<string, Json> = {};
  for (const { name, value } of vars) setVariable(flags, name, value);
  for (const { name, value } of yamlVars) setVariable(flags, name, parseYamlOf(`--yaml-var ${name}`, value));
  const loaded = files.map(({ name, value }) => {
    const tree = parseYamlOf(name, value) ?? {};
    if (!isObject(tree)) throw new Mistake(`${name} must be a map of variables`);
    return tree;
  });
  return [flags, ...loaded.reverse()];
}

export function lookupIn(vars: readonly JsonObject[]): readonly Lookup[] {
  return vars.map(staticLookup);
}

/** `a.b=x` sets the field b of a, as fly does. */
function setVariable(vars: Record<string, Json>, name: string, value: Json): void {
  const { source, path, fields } = readName(name);
  if (source !== undefined) throw new Mistake(`the variable ${name} belongs to the var source ${source}`);
  let map = vars;
  const [last = path, ...outer] = [path, ...fields].reverse();
  for (const field of outer.reverse()) {
    const inner = map[field];
    const next: Record<string, Json> = isObject(inner) ? { ...inner } : {};
    map[field] = next;
    map = next;
  }
  map[last] = value;
}

function readName(name: string): ReturnType<typeof parseReference> {
  try {
    return parseReference(name);
  } catch (cause) {
    throw new Mistake((cause as Error).message, { cause });
  }
}

function parseYamlOf(where: string, text: string): Json {
  try {
    return parseYaml(text);
  } catch (cause) {
    throw new Mistake(`${where}: ${(cause as Error).message}`, { cause });
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
