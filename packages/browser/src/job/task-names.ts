import type { Json, JsonObject } from '@seaplane/config/values';

/** The names of the tasks in the plan of a job, hooks included, in the order of the configuration. */
export function taskNames(config: JsonObject, job: string): readonly string[] {
  const jobs = Array.isArray(config['jobs']) ? (config['jobs'] as readonly Json[]) : [];
  const found = jobs.find((each) => isObject(each) && each['name'] === job);
  return [...new Set(found === undefined ? [] : tasksIn(found))];
}

function tasksIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(tasksIn);
  if (!isObject(value)) return [];
  const { task, config: _, params: __, ...rest } = value;
  return [...(typeof task === 'string' ? [task] : []), ...Object.values(rest).flatMap(tasksIn)];
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
