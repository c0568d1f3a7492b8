import type { JsonObject } from '@seaplane/config/values';
import * as v from 'valibot';

// The bodies that the API takes: the schema by which the server reads a body, and its type for clients. Only types and
// valibot are imported here, so that a browser can import the types.

export const wallBody = v.object({
  message: v.optional(v.string(), ''),
  /** How long the message stands, in nanoseconds. 0: until it is cleared. */
  TTL: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
});
export type WallBody = v.InferInput<typeof wallBody>;

const names = v.nullish(v.array(v.string()), []);
const holders = v.pipe(
  v.object({ users: names, groups: names }),
  v.check(
    ({ users, groups }) => (users?.length ?? 0) + (groups?.length ?? 0) > 0,
    'auth config for the team does not have users and groups configured',
  ),
  v.transform(({ users, groups }) => ({ users: users ?? [], groups: groups ?? [] })),
);

export const teamBody = v.object({
  auth: v.pipe(
    v.record(v.picklist(['viewer', 'pipeline-operator', 'member', 'owner']), holders),
    v.check((auth) => Object.keys(auth).length > 0, 'auth config for the team must not be empty'),
  ),
});
export type TeamBody = v.InferInput<typeof teamBody>;

/** The new name of a team or a pipeline. */
export const renameBody = v.object({ name: v.string() });
export type RenameBody = v.InferInput<typeof renameBody>;

/** The names of a team's pipelines, in their new order. */
export const pipelineOrderBody = v.array(v.string());
export type PipelineOrderBody = v.InferInput<typeof pipelineOrderBody>;

/** The instance vars of pipelines of one name, in their new order. */
export const instanceOrderBody = v.array(v.custom<JsonObject>(isObject, 'instance vars are objects'));
export type InstanceOrderBody = v.InferInput<typeof instanceOrderBody>;

/** A comment on a build. */
export const commentBody = v.object({ comment: v.string() });
export type CommentBody = v.InferInput<typeof commentBody>;

export const pinCommentBody = v.object({ pin_comment: v.string() });
export type PinCommentBody = v.InferInput<typeof pinCommentBody>;

export const clearCachesBody = v.object({
  /** The version whose caches are cleared. Left out: all versions. */
  version: v.nullish(v.record(v.string(), v.string())),
});
export type ClearCachesBody = v.InferInput<typeof clearCachesBody>;

export const checkBody = v.object({
  /** The version to check from. Left out: the pinned version, or the version that the last check ended with. */
  from: v.nullish(v.record(v.string(), v.string())),
  /** Check only the resource, not the types that it is of. */
  shallow: v.optional(v.boolean(), false),
});
export type CheckBody = v.InferInput<typeof checkBody>;

/** The plan of a build, as `fly execute` makes it (docs/concourse/fly-api.md, section 4). */
export type PlanBody = JsonObject;

/** The configuration of a pipeline: JSON, or YAML as text, with the `Content-Type` that says which. */
export type ConfigBody = JsonObject | string;

/** A directory as a gzip'd tar archive. */
export type ArchiveBody = ReadableStream<Uint8Array>;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
