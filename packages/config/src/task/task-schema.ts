import * as v from 'valibot';
import {
  boolean,
  environment,
  jsonObject,
  keep,
  lenientObject,
  list,
  looseObject,
  name,
  omit,
  stringMap,
  strings,
  tags,
} from '../fields.ts';
import type { TaskConfig } from '../task-config.ts';
import { containerLimits } from './container-limits.ts';

type Text = v.GenericSchema<unknown, string>;

/** A task's configuration, and the names of the fields nobody knows, which are for validation to report. */
export interface ReadTaskConfig {
  readonly config: TaskConfig;
  readonly unknown: readonly string[];
}

/** `text` says what counts as text: text alone in a pipeline, numbers and booleans too in a file. */
export function taskConfigSchema(text: Text): v.GenericSchema<unknown, ReadTaskConfig> {
  const entries = {
    platform: name(text),
    rootfs_uri: omit(text),
    image_resource: keep(imageResource(text)),
    container_limits: keep(containerLimits),
    params: omit(environment),
    run: v.nullish(run(text), {}),
    inputs: omit(list(lenientObject({ name: name(text), path: omit(text), optional: omit(boolean) }), {})),
    outputs: omit(list(lenientObject({ name: name(text), path: omit(text) }), {})),
    caches: omit(list(lenientObject({ path: name(text), ttl: omit(text) }), {})),
  };
  return v.pipe(
    looseObject(entries),
    v.transform(({ known, unknown }) => ({ config: known, unknown })),
  );
}

function imageResource(text: Text) {
  return v.pipe(
    lenientObject({
      name: omit(text),
      type: name(text),
      source: v.nullish(jsonObject, null as never),
      version: omit(stringMap(text)),
      params: omit(jsonObject),
      tags: omit(tags),
    }),
  );
}

function run(text: Text) {
  return lenientObject({ path: name(text), args: omit(strings(text)), dir: omit(text), user: omit(text) });
}
