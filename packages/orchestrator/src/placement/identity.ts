import { createHash } from 'node:crypto';
import type { Json } from '@seaplane/config';
import type { GetRequest, StepIdentity } from '@seaplane/engine';

/**
 * The name of a step's sandbox, derived from the step's identity. It is the same after a crash, so creating the sandbox
 * twice finds the first. It is a DNS label, because it becomes a pod's name.
 */
export function sandboxHandle({ buildId, planId, attempt, rerun = 0 }: StepIdentity, type: string): string {
  return `${type}-${buildId}-${shortHash(rerun === 0 ? [planId, attempt] : [planId, attempt, rerun])}`;
}

/** The name of a step's process within its sandbox. Other steps may share the sandbox. */
export function processId({ buildId, planId, attempt }: StepIdentity): string {
  return `${buildId}-${shortHash([planId, attempt])}`;
}

/** Fences a step's exit record: the record of another attempt has another id. */
export function attemptId({ buildId, planId, attempt, rerun = 0 }: StepIdentity): string {
  return `${buildId}/${planId}/${attempt}${rerun === 0 ? '' : `+${rerun}`}`;
}

/** Names what a get fetches. Gets of the same type (down to its image), source, version and params have the same id. */
export function cacheIdOf(request: GetRequest): string {
  const { type, imageCacheId, source, version, params } = request;
  // A base type can't have the id of an image for its name: the two are apart.
  const runs = imageCacheId === undefined ? { type } : { image: imageCacheId };
  return shortHash([runs, source, version, params ?? null], 32);
}

/** The directory a task runs in, derived from the step's name as Concourse does (atc/exec/task_step.go). */
export function taskDirectory(stepName: string): string {
  return `/tmp/build/${createHash('sha256').update(stepName).digest('hex').slice(0, 8)}`;
}

export function shortHash(value: Json, length = 12): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, length);
}

/** JSON with sorted keys, so that equal values have equal texts. */
function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
