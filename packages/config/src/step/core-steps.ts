import * as v from 'valibot';
import {
  boolean,
  environment,
  type FieldsOf,
  integer,
  isJsonObject,
  jsonObject,
  keep,
  lenientObject,
  list,
  name,
  omit,
  string,
  stringMap,
  strings,
  tags,
} from '../fields.ts';
import { containerLimits } from '../task/container-limits.ts';
import { embeddedTaskSchema } from '../task/task-schema.ts';
import { goValue } from '../text/go-text.ts';
import { stepsOrNone } from './no-steps.ts';
import type { StepConfig } from './step.ts';
import type { CoreKey } from './step-keys.ts';
import { putInputs, versionChoice } from './step-values.ts';

export type StepSchema = v.GenericSchema<unknown, StepConfig>;

/** The unknown fields of steps and task configurations. */
export type UnknownFields = Map<object, readonly string[]>;

/** How a core step is read: its fields, and the step made of them. */
export interface CoreStep<S extends StepConfig> {
  /** `step` is the schema for steps within this one. */
  readonly entries: (step: StepSchema) => v.ObjectEntries;
  readonly make: (fields: object, unknownFields: UnknownFields) => S;
}

/** Makes the compiler check that `make` uses the fields that the entries read. */
function coreStep<E extends v.ObjectEntries, S extends StepConfig>(
  entries: (step: StepSchema) => E,
  make: (fields: FieldsOf<E>, unknownFields: UnknownFields) => S,
): CoreStep<S> {
  return { entries, make: (fields, unknownFields) => make(fields as FieldsOf<E>, unknownFields) };
}

export const CORE_STEPS: { readonly [K in CoreKey]: CoreStep<Extract<StepConfig, { readonly kind: K }>> } = {
  get: coreStep(
    () => ({
      get: name(string),
      resource: omit(string),
      version: keep(versionChoice),
      params: omit(jsonObject),
      passed: omit(strings(string)),
      trigger: omit(boolean),
      tags: omit(tags),
      timeout: omit(string),
    }),
    ({ get, ...rest }) => ({ kind: 'get', name: get, ...rest }),
  ),
  put: coreStep(
    () => ({
      put: name(string),
      resource: omit(string),
      params: omit(jsonObject),
      inputs: keep(putInputs),
      tags: omit(tags),
      get_params: omit(jsonObject),
      timeout: omit(string),
      no_get: omit(boolean),
    }),
    ({ put, ...rest }) => ({ kind: 'put', name: put, ...rest }),
  ),
  task: coreStep(
    () => ({
      task: name(string),
      privileged: omit(boolean),
      hermetic: omit(boolean),
      file: omit(string),
      container_limits: keep(containerLimits(lenientObject)),
      config: keep(embeddedTaskSchema()),
      params: omit(environment),
      vars: omit(jsonObject),
      tags: omit(tags),
      input_mapping: omit(stringMap(string)),
      output_mapping: omit(stringMap(string)),
      image: omit(string),
      timeout: omit(string),
    }),
    ({ task, config: read, ...rest }, unknownFields) => {
      if (read === undefined) return { kind: 'task', name: task, ...rest };
      if (read.unknown.length > 0) unknownFields.set(read.config, read.unknown);
      return { kind: 'task', name: task, ...rest, config: read.config };
    },
  ),
  run: coreStep(
    () => ({
      run: name(string),
      type: name(string),
      params: omit(jsonObject),
      privileged: omit(boolean),
      tags: omit(tags),
      container_limits: keep(containerLimits(lenientObject)),
      timeout: omit(string),
    }),
    ({ run, ...rest }) => ({ kind: 'run', message: run, ...rest }),
  ),
  set_pipeline: coreStep(
    () => ({
      set_pipeline: name(string),
      file: omit(string),
      team: omit(string),
      vars: omit(jsonObject),
      var_files: omit(strings(string)),
      instance_vars: omit(jsonObject),
    }),
    ({ set_pipeline, ...rest }) => ({ kind: 'set_pipeline', name: set_pipeline, ...rest }),
  ),
  load_var: coreStep(
    () => ({ load_var: name(string), file: omit(string), format: omit(string), reveal: omit(boolean) }),
    ({ load_var, ...rest }) => ({ kind: 'load_var', name: load_var, ...rest }),
  ),
  try: coreStep(
    (step) => ({ try: step }),
    ({ try: step }) => ({ kind: 'try', step }),
  ),
  do: coreStep(
    (step) => ({ do: stepsOrNone(step), tags: omit(tags) }),
    ({ do: steps, ...rest }) => ({ kind: 'do', steps, ...rest }),
  ),
  in_parallel: coreStep(
    (step) => ({ in_parallel: parallelSteps(step), tags: omit(tags) }),
    ({ in_parallel, ...rest }) => ({ kind: 'in_parallel', ...in_parallel, ...rest }),
  ),
};

/** A list of steps, or a map with the list and its limits. */
function parallelSteps(step: StepSchema): v.GenericSchema<unknown, ParallelSteps> {
  return v.lazy((input) => {
    if (Array.isArray(input)) {
      return v.pipe(
        list(step),
        v.transform((steps) => ({ steps })),
      );
    }
    if (!isJsonObject(input)) return v.custom<never>(() => false, `wrong type for parallel config: ${goValue(input)}`);
    return lenientObject({ steps: v.nullish(list(step), []), limit: omit(integer), fail_fast: omit(boolean) });
  });
}

interface ParallelSteps {
  readonly steps: readonly StepConfig[];
  readonly limit?: number;
  readonly fail_fast?: boolean;
}
