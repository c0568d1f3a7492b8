import * as v from 'valibot';
import {
  boolean,
  checkEvery,
  integer,
  json,
  jsonObject,
  keep,
  lenientObject,
  list,
  looseString,
  name,
  omit,
  strictObject,
  stringMap,
  strings,
  tags,
} from '../fields.ts';
import type { UnknownFields } from '../step/core-steps.ts';
import { stepsOrNone } from '../step/no-steps.ts';
import { stepSchema } from '../step/step-schema.ts';
import type { PipelineConfig } from './pipeline.ts';

const text = looseString;

const group = strictObject({ name: name(text), jobs: omit(strings(text)), resources: omit(strings(text)) });

const varSource = strictObject({ name: name(text), type: name(text), config: keep(json) });

const resource = strictObject({
  name: name(text),
  old_name: omit(text),
  public: omit(boolean),
  webhook_token: omit(text),
  type: name(text),
  source: v.nullish(jsonObject, null as never),
  check_every: keep(checkEvery),
  check_timeout: omit(text),
  tags: omit(tags),
  version: omit(stringMap(text)),
  icon: omit(text),
  expose_build_created_by: omit(boolean),
});

const resourceType = strictObject({
  name: name(text),
  type: name(text),
  source: v.nullish(jsonObject, null as never),
  defaults: omit(jsonObject),
  privileged: omit(boolean),
  check_every: keep(checkEvery),
  tags: omit(tags),
  params: omit(jsonObject),
});

const buildLogRetention = strictObject({
  builds: omit(integer),
  minimum_succeeded_builds: omit(integer),
  days: omit(integer),
});

const display = strictObject({ background_image: omit(text), background_filter: omit(text) });

function jobSchema(unknownFields: UnknownFields) {
  const step = stepSchema(unknownFields);
  return strictObject({
    name: name(text),
    old_name: omit(text),
    public: omit(boolean),
    disable_manual_trigger: omit(boolean),
    disable_reruns: omit(boolean),
    serial: omit(boolean),
    interruptible: omit(boolean),
    serial_groups: omit(strings(text)),
    max_in_flight: omit(integer),
    build_logs_to_retain: omit(integer),
    build_log_retention: keep(buildLogRetention),
    tags: omit(tags),
    on_success: keep(step),
    on_failure: keep(step),
    on_abort: keep(step),
    on_error: keep(step),
    ensure: keep(step),
    plan: stepsOrNone(step),
  });
}

/** The schema of a pipeline. Only at the top are unknown keys dropped, because users keep YAML anchors there. */
export function pipelineSchema(unknownFields: UnknownFields): v.GenericSchema<unknown, PipelineConfig> {
  const section = <T>(item: v.GenericSchema<unknown, T>) => v.nullish(list(item, {}), []);
  return lenientObject({
    groups: section(group),
    var_sources: section(varSource),
    resources: section(resource),
    resource_types: section(resourceType),
    prototypes: section(resourceType),
    jobs: section(jobSchema(unknownFields)),
    display: keep(display),
    user_data: keep(json),
  });
}
