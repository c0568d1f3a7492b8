import * as v from 'valibot';
import {
  boolean,
  environment,
  jsonObject,
  keep,
  lenientObject,
  list,
  looseObject,
  looseString,
  name,
  omit,
  string,
  stringMap,
  strings,
  tags,
} from '../fields.ts';
import { containerLimits } from './container-limits.ts';
import type { TaskConfig } from './task-config.ts';

type Text = v.GenericSchema<unknown, string>;

/** A task's configuration, and the names of its unknown fields, which validation reports. */
export interface ReadTaskConfig {
  readonly config: TaskConfig;
  readonly unknown: readonly string[];
}

/** In a file a number or boolean may stand for text. An unknown field is refused only at the top. */
export function taskFileSchema(): v.GenericSchema<unknown, ReadTaskConfig> {
  return taskConfigSchema(looseString, lenientObject);
}

/** In a pipeline only text is text, and an unknown field is refused only at the top. */
export function embeddedTaskSchema(): v.GenericSchema<unknown, ReadTaskConfig> {
  return taskConfigSchema(string, lenientObject);
}

type ObjectOf = typeof lenientObject;

function taskConfigSchema(text: Text, object: ObjectOf): v.GenericSchema<unknown, ReadTaskConfig> {
  const entries = {
    platform: name(text),
    rootfs_uri: omit(text),
    image_resource: keep(imageResource(text, object)),
    container_limits: keep(containerLimits(object)),
    params: omit(environment),
    run: v.nullish(run(text, object), {}),
    inputs: omit(list(object({ name: name(text), path: omit(text), optional: omit(boolean) }), {})),
    outputs: omit(list(object({ name: name(text), path: omit(text) }), {})),
    caches: omit(list(object({ path: name(text), ttl: omit(text) }), {})),
  };
  return v.pipe(
    looseObject(entries),
    v.transform(({ known, unknown }) => ({ config: known, unknown })),
  );
}

function imageResource(text: Text, object: ObjectOf) {
  return object({
    name: omit(text),
    type: name(text),
    source: v.nullish(jsonObject, null as never),
    version: omit(stringMap(text)),
    params: omit(jsonObject),
    tags: omit(tags),
  });
}

function run(text: Text, object: ObjectOf) {
  return object({ path: name(text), args: omit(strings(text)), dir: omit(text), user: omit(text) });
}
