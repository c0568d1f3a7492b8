import { ConfigReader, flag, listOf, mapOf, text } from './config-reader.ts';

/** A worker as it is configured, whatever kind of host it has. */
export interface WorkerConfig {
  readonly name: string;
  /** The worker runs only this team's steps. */
  readonly team?: string;
  /** A worker with tags runs only steps that ask for them. */
  readonly tags: readonly string[];
  readonly platform: string;
  /** Base resource types by name. */
  readonly baseTypes: Readonly<Record<string, BaseType>>;
  /** Variables of every process on the worker, over its own: `http_proxy`, `https_proxy` and `no_proxy`. */
  readonly proxyEnv?: Readonly<Record<string, string>>;
}

export interface BaseType {
  /** The image that the type's scripts run from. */
  readonly image: string;
  readonly privileged: boolean;
}

/** Reads the fields of a worker's entry that every kind of host shares. */
export function parseWorkerConfig(entry: ConfigReader, platform: string): WorkerConfig {
  const name = entry.required('name', text);
  const team = entry.optional('team', text);
  const proxyEnv = entry.optional('proxy', parseProxy);
  return {
    name,
    ...(team ? { team } : {}),
    tags: entry.optional('tags', listOf(text)) ?? [],
    platform,
    baseTypes: entry.section('images').optional('baseTypes', mapOf(parseBaseType)) ?? {},
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

function parseBaseType(where: string, value: unknown): BaseType {
  if (typeof value === 'string') return { image: text(where, value), privileged: false };
  const reader = new ConfigReader(where, value);
  const type = { image: reader.required('image', text), privileged: reader.optional('privileged', flag) ?? false };
  reader.end();
  return type;
}
