import * as v from 'valibot';
import { describeIssue } from '../malformed.ts';
import { isDuration, parseDuration } from '../text/duration.ts';
import type { Json } from '../values.ts';
import type { TaskConfig } from './task-config.ts';
import { taskFileSchema } from './task-schema.ts';

/** `message` is for the build's log; `errors` are the single mistakes. */
export type TaskConfigResult =
  | { readonly ok: true; readonly config: TaskConfig }
  | { readonly ok: false; readonly message: string; readonly errors: readonly string[] };

/** Reads a task's configuration whose variables have been replaced, from a file, a pipeline or `fly execute`. */
export function readTaskConfig(tree: Json): TaskConfigResult {
  const result = v.safeParse(taskFileSchema(), tree ?? {}, { abortEarly: true });
  if (!result.success) {
    return refused([`error unmarshaling JSON: while decoding JSON: ${describeIssue(result.issues[0])}`]);
  }
  const { config, unknown } = result.output;
  if (unknown.length > 0) return refused([`unknown fields: [${unknown.join(' ')}]`]);
  const errors = taskMistakes(config);
  if (errors.length === 0) return { ok: true, config };
  return { ok: false, message: `invalid task configuration:\n${errors.join('\n')}`, errors };
}

function refused(errors: readonly [string]): TaskConfigResult {
  return { ok: false, message: errors[0], errors };
}

/** The mistakes in a task's configuration, apart from wrong types. The messages are Concourse's. */
export function taskMistakes(config: TaskConfig): string[] {
  const missing = (what: string, items: readonly { readonly name: string }[] = []) =>
    items.flatMap(({ name }, index) => (name === '' ? [`  ${what} in position ${index} is missing a name`] : []));
  return [
    ...(config.platform === '' ? ["missing 'platform'"] : []),
    ...missing('input', config.inputs),
    ...missing('output', config.outputs),
    ...(config.caches ?? []).flatMap(({ ttl }) => (ttl === undefined ? [] : ttlMistakes(ttl))),
  ];
}

function ttlMistakes(ttl: string): string[] {
  if (!isDuration(ttl)) return [`invalid cache ttl '${ttl}'`];
  return parseDuration(ttl) < 1000 ? [`cache ttl must be at least 1s, got '${ttl}'`] : [];
}
