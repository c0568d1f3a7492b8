import type * as v from 'valibot';
import { ownName } from './field-names.ts';
import { isJsonObject } from './fields.ts';
import { ownerOfField, STEP_KEYS } from './step/step-keys.ts';

/** Describes what a parser refused and where: Concourse's words first, then the path. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  // The message already names a key that is unknown or missing.
  const place = /^(json: unknown )?field "/.test(issue.message) ? path.slice(0, -1) : path;
  const where = place.length === 0 ? '' : ` (at ${formatPath(place.map((item) => item.key))})`;
  return `${enclosingSteps(path)}${issue.message}${where}`;
}

/** `jobs[3].plan[1].config.run` */
function formatPath(keys: readonly unknown[]): string {
  return keys
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${ownName(String(key))}`))
    .join('')
    .replace(/^\./, '');
}

/** Names each step around a mistake by the key it was read for, as Concourse does. */
function enclosingSteps(path: readonly v.IssuePathItem[]): string {
  let text = '';
  for (const [index, item] of path.entries()) {
    if (typeof item.key !== 'string' || !isStepAt(path, index)) continue;
    const step = item.input as object;
    if (!STEP_KEYS.some((key) => Object.hasOwn(step, key))) continue;
    const owner = ownerOfField(step, item.key);
    text += `malformed ${owner} step: `;
    if (owner === 'in_parallel' && index < path.length - 1) {
      text += `failed to unmarshal parallel ${isJsonObject(item.value) ? 'config' : 'steps'}: `;
    }
  }
  return text;
}

/** Whether the object at `index` of the path is a step: an item of a list of steps, a hook, or the step of a try. */
function isStepAt(path: readonly v.IssuePathItem[], index: number): boolean {
  const before = path[index - 1]?.key;
  if (typeof before === 'number') {
    const listKey = path[index - 2]?.key;
    if (listKey === 'steps') return path[index - 3]?.key === 'in_parallel';
    return listKey === 'plan' || listKey === 'do' || listKey === 'in_parallel';
  }
  return ['try', 'ensure', 'on_success', 'on_failure', 'on_abort', 'on_error'].includes(String(before));
}
