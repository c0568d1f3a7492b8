import { type BaseTypeList, type BaseTypes, baseTypesOf, parseBaseTypes } from './base-types.ts';
import { ConfigReader, listOf, text } from './config-reader.ts';

/** A worker as it is configured, whatever kind of host it has. */
export interface WorkerConfig {
  readonly name: string;
  /** The worker runs only this team's steps. */
  readonly team?: string;
  /** A worker with tags runs only steps that ask for them. */
  readonly tags: readonly string[];
  readonly platform: string;
  /** Base resource types by name. */
  readonly baseTypes: BaseTypes;
  /** Variables of every process on the worker, over its own: `http_proxy`, `https_proxy` and `no_proxy`. */
  readonly proxyEnv?: Readonly<Record<string, string>>;
}

/** Reads the fields of a worker's entry that every kind of host shares. `list` is for an entry without base types. */
export function parseWorkerConfig(entry: ConfigReader, platform: string, list?: BaseTypeList): WorkerConfig {
  const name = entry.required('name', text);
  const team = entry.optional('team', text);
  const proxyEnv = entry.optional('proxy', parseProxy);
  return {
    name,
    ...(team ? { team } : {}),
    tags: entry.optional('tags', listOf(text)) ?? [],
    platform,
    baseTypes: entry.section('images').optional('baseTypes', parseBaseTypes) ?? (list ? baseTypesOf(list) : {}),
    ...(proxyEnv ? { proxyEnv } : {}),
  };
}

/** The names of the variables are in lower case, as Concourse's workers set them. */
function parseProxy(where: string, value: unknown): Record<string, string> {
  const reader = new ConfigReader(where, value);
  const env = {
    http_proxy: reader.optional('http', text),
    https_proxy: reader.optional('https', text),
    no_proxy: reader.optional('except', listOf(text))?.join(','),
  };
  reader.end();
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
