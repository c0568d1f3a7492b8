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
  return {
    name,
    ...(team ? { team } : {}),
    tags: entry.optional('tags', listOf(text)) ?? [],
    platform,
    baseTypes: entry.section('images').optional('baseTypes', mapOf(parseBaseType)) ?? {},
  };
}

function parseBaseType(where: string, value: unknown): BaseType {
  if (typeof value === 'string') return { image: text(where, value), privileged: false };
  const reader = new ConfigReader(where, value);
  const type = { image: reader.required('image', text), privileged: reader.optional('privileged', flag) ?? false };
  reader.end();
  return type;
}
