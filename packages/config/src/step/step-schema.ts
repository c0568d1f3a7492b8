import * as v from 'valibot';
import {
  boolean,
  environment,
  integer,
  isJsonObject,
  json,
  jsonKind,
  jsonObject,
  keep,
  lenientObject,
  list,
  looseObject,
  name,
  omit,
  present,
  strictObject,
  string,
  stringMap,
  strings,
  tags,
} from '../fields.ts';
import { containerLimits } from '../task/container-limits.ts';
import { embeddedTaskSchema } from '../task/task-schema.ts';
import { goValue } from '../text/go-text.ts';
import type { AcrossVar, HookKind, StepConfig } from './step.ts';
import { type CoreKey, type ModifierKey, stepShape } from './step-keys.ts';
import { putInputs, versionChoice } from './step-values.ts';

/** Fields nobody knows, by the step or task configuration they were written in. */
export type UnknownFields = Map<object, readonly string[]>;

type Fields = Readonly<Record<string, unknown>>;
type StepSchema = v.GenericSchema<unknown, StepConfig>;

/**
 * The schema of a step. What it is depends on the keys it has, so the schema is chosen by looking at the input; that
 * way a mistake deep inside is reported at its own path and not as "no alternative fits".
 */
export function stepSchema(unknownFields: UnknownFields): StepSchema {
  const shapes = new Map<string, StepSchema>();
  const step: StepSchema = v.lazy((input) => {
    if (input === null || input === undefined) return refuse('no step configured');
    if (!isJsonObject(input)) return refuse(`json: cannot unmarshal ${jsonKind(input)} into a step`);
    const { modifiers, core } = stepShape(input);
    if (core === undefined) {
      return refuse(
        modifiers.length === 0 ? 'no step configured' : 'no core step type declared (e.g. get, put, task, etc.)',
      );
    }
    const key = [...modifiers, core].join();
    const schema = shapes.get(key) ?? shapeSchema(step, modifiers, core, unknownFields);
    shapes.set(key, schema);
    return schema;
  });
  return step;
}

/** The schema of a step with the given keys: a flat object, made a tree. */
function shapeSchema(
  step: StepSchema,
  modifiers: readonly ModifierKey[],
  core: CoreKey,
  unknownFields: UnknownFields,
): StepSchema {
  const entries: v.ObjectEntries = { ...CORE_ENTRIES[core](step) };
  for (const modifier of modifiers) Object.assign(entries, MODIFIER_ENTRIES[modifier](step));
  return v.pipe(
    looseObject(entries),
    v.transform(({ known, unknown }) => {
      const result = nest(known as Fields, modifiers, core, unknownFields);
      if (unknown.length > 0) unknownFields.set(result, unknown);
      return result;
    }),
  );
}

function refuse(message: string): StepSchema {
  return v.custom<StepConfig>(() => false, message);
}

const hook = (key: HookKind) => (step: StepSchema) => ({ [key]: step });

const MODIFIER_ENTRIES: Readonly<Record<ModifierKey, (step: StepSchema) => v.ObjectEntries>> = {
  ensure: hook('ensure'),
  on_error: hook('on_error'),
  on_abort: hook('on_abort'),
  on_failure: hook('on_failure'),
  on_success: hook('on_success'),
  across: () => ({ across: v.nullish(list(acrossVar, {}), []), fail_fast: omit(boolean) }),
  attempts: () => ({ attempts: v.nullish(integer, 0) }),
  timeout: () => ({ timeout: name(string) }),
};

const acrossVar: v.GenericSchema<unknown, AcrossVar> = strictObject({
  var: name(string),
  values: keep(json),
  max_in_flight: keep(
    v.lazy((input) =>
      typeof input === 'string' ? v.literal('all', `invalid max_in_flight ${JSON.stringify(input)}`) : integer,
    ),
  ),
});

const CORE_ENTRIES: Readonly<Record<CoreKey, (step: StepSchema) => v.ObjectEntries>> = {
  get: () => ({
    get: name(string),
    resource: omit(string),
    version: keep(versionChoice),
    params: omit(jsonObject),
    passed: omit(strings(string)),
    trigger: omit(boolean),
    tags: omit(tags),
    timeout: omit(string),
  }),
  put: () => ({
    put: name(string),
    resource: omit(string),
    params: omit(jsonObject),
    inputs: keep(putInputs),
    tags: omit(tags),
    get_params: omit(jsonObject),
    timeout: omit(string),
    no_get: omit(boolean),
  }),
  task: () => ({
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
  run: () => ({
    run: name(string),
    type: name(string),
    params: omit(jsonObject),
    privileged: omit(boolean),
    tags: omit(tags),
    container_limits: keep(containerLimits(lenientObject)),
    timeout: omit(string),
  }),
  set_pipeline: () => ({
    set_pipeline: name(string),
    file: omit(string),
    team: omit(string),
    vars: omit(jsonObject),
    var_files: omit(strings(string)),
    instance_vars: omit(jsonObject),
  }),
  load_var: () => ({ load_var: name(string), file: omit(string), format: omit(string), reveal: omit(boolean) }),
  try: (step) => ({ try: step }),
  do: (step) => ({ do: v.nullish(list(step), []), tags: omit(tags) }),
  in_parallel: (step) => ({
    in_parallel: v.lazy((input) => {
      if (Array.isArray(input)) {
        return v.pipe(
          list(step),
          v.transform((steps) => ({ steps })),
        );
      }
      if (!isJsonObject(input))
        return v.custom<never>(() => false, `wrong type for parallel config: ${goValue(input)}`);
      return lenientObject({ steps: v.nullish(list(step), []), limit: omit(integer), fail_fast: omit(boolean) });
    }),
    tags: omit(tags),
  }),
};

/** Makes the tree: the core step inside, then each modifier around it. */
function nest(
  fields: Fields,
  modifiers: readonly ModifierKey[],
  core: CoreKey,
  unknownFields: UnknownFields,
): StepConfig {
  const inner = coreStep(fields, modifiers, core, unknownFields);
  return modifiers.reduceRight<StepConfig>((step, modifier) => {
    switch (modifier) {
      case 'across':
        return present({
          kind: 'across' as const,
          vars: fields['across'] as readonly AcrossVar[],
          fail_fast: fields['fail_fast'] as boolean | undefined,
          step,
        });
      case 'attempts':
        return { kind: 'attempts', attempts: fields['attempts'] as number, step };
      case 'timeout':
        return { kind: 'timeout', duration: fields['timeout'] as string, step };
      default:
        return { kind: modifier, step, hook: fields[modifier] as StepConfig };
    }
  }, inner);
}

function coreStep(
  fields: Fields,
  modifiers: readonly ModifierKey[],
  core: CoreKey,
  unknownFields: UnknownFields,
): StepConfig {
  const own = { ...fields };
  for (const modifier of modifiers) delete own[modifier];
  if (modifiers.includes('across')) delete own['fail_fast'];
  const { [core]: subject, ...rest } = own;
  switch (core) {
    case 'try':
      return { kind: 'try', step: subject as StepConfig };
    case 'do':
      return { kind: 'do', steps: subject as readonly StepConfig[], ...rest };
    case 'in_parallel':
      return { kind: 'in_parallel', ...(subject as { readonly steps: readonly StepConfig[] }), ...rest };
    case 'run':
      return { kind: 'run', message: subject, ...rest } as StepConfig;
    case 'task': {
      const read = rest['config'] as { readonly config: object; readonly unknown: readonly string[] } | undefined;
      if (read === undefined) return { kind: 'task', name: subject, ...rest } as StepConfig;
      if (read.unknown.length > 0) unknownFields.set(read.config, read.unknown);
      return { kind: 'task', name: subject, ...rest, config: read.config } as StepConfig;
    }
    default:
      return { kind: core, name: subject, ...rest } as StepConfig;
  }
}
