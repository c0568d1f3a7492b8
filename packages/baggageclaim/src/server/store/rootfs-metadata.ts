import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';

/** How processes run in an image, from its artifact's metadata.json. */
export interface RootfsMetadata {
  readonly env: readonly string[];
  readonly user: string;
}

/** Reads `env` and `user`, and ignores other fields (entrypoint, cmd, labels). Throws `bad-request`. */
export function parseRootfsMetadata(id: string, text: string): RootfsMetadata {
  const { env, user } = parseObject(id, text);
  if (env !== undefined && env !== null && !isStrings(env)) throw malformed(id, 'its env is not a list of strings');
  if (user !== undefined && user !== null && typeof user !== 'string') throw malformed(id, 'its user is not a string');
  return { env: env ?? [], user: user ?? '' };
}

function parseObject(id: string, text: string): { env?: unknown; user?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(id, (cause as Error).message);
  }
  if (typeof value !== 'object' || value === null) throw malformed(id, 'it is not an object');
  return value;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function malformed(id: string, why: string): BaggageclaimError {
  return new BaggageclaimError('bad-request', `the metadata.json of the artifact ${id} is malformed: ${why}`);
}
