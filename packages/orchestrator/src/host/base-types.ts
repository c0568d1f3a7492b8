import { ConfigReader, flag, mapOf, text, wrong } from './config-reader.ts';
import type { SandboxImage } from './sandbox-host.ts';

/** The image that a base resource type's scripts run from. */
export interface BaseType {
  readonly image: string;
  readonly privileged: boolean;
}

export type BaseTypes = Readonly<Record<string, BaseType>>;

/** A list of base types that an operator names by one word. */
export type BaseTypeList = 'published' | 'built-in';

/** An image with this prefix is a type that comes with the host: nothing is pulled. */
const BUILT_IN_PREFIX = 'builtin:';

const PUBLISHED = [
  'bosh-io-release',
  'bosh-io-stemcell',
  'docker-image',
  'git',
  'github-release',
  'hg',
  'mock',
  'pool',
  'registry-image',
  's3',
  'semver',
  'time',
];
export const BUILT_IN: readonly string[] = ['git', 'registry-image', 'time'];

/** Types whose check keeps nothing on disk. Any number of resources can be checked in one sandbox, side by side. */
const CHECKED_WITHOUT_FILES: ReadonlySet<string> = new Set([
  'bosh-io-release',
  'bosh-io-stemcell',
  'github-release',
  'mock',
  'registry-image',
  's3',
  'time',
]);

/** Concourse's worker runs this one privileged: it starts a Docker daemon. */
const PRIVILEGED = 'docker-image';

/** The types that Concourse's worker brings, by their published images, or those that Seaplane brings itself. */
export function baseTypesOf(list: BaseTypeList): BaseTypes {
  return list === 'published'
    ? typed(PUBLISHED, (name) => ({
        image: `docker.io/concourse/${name}-resource`,
        privileged: name === PRIVILEGED,
      }))
    : typed(BUILT_IN, (name) => ({ image: `${BUILT_IN_PREFIX}${name}`, privileged: false }));
}

/** `published`, `built-in`, or a map of names to images. */
export function parseBaseTypes(where: string, value: unknown): BaseTypes {
  if (value === 'published' || value === 'built-in') return baseTypesOf(value);
  if (typeof value === 'string') throw wrong(where, 'must be a map, published or built-in', value);
  return mapOf(parseBaseType)(where, value);
}

/** The name of the built-in type that an image is; undefined for any other image, and for one that a pipeline names. */
export function builtInTypeOf({ reference, fromPipeline }: SandboxImage): string | undefined {
  return !fromPipeline && reference.startsWith(BUILT_IN_PREFIX) ? reference.slice(BUILT_IN_PREFIX.length) : undefined;
}

/**
 * Whether the check of a base type may keep files in its sandbox, as git keeps a clone and the user's credentials. The
 * check of an unknown type may.
 */
export function checkKeepsFiles(type: string): boolean {
  return !CHECKED_WITHOUT_FILES.has(type);
}

function parseBaseType(where: string, value: unknown): BaseType {
  if (typeof value === 'string') return { image: text(where, value), privileged: false };
  const reader = new ConfigReader(where, value);
  const type = { image: reader.required('image', text), privileged: reader.optional('privileged', flag) ?? false };
  reader.end();
  return type;
}

function typed(names: readonly string[], make: (name: string) => BaseType): BaseTypes {
  return Object.fromEntries(names.map((name) => [name, make(name)]));
}
