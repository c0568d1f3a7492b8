import * as v from 'valibot';
import { assertNever } from '../assert-never.ts';
import {
  boolean,
  integer,
  isJsonObject,
  json,
  jsonKind,
  keep,
  list,
  looseObject,
  name,
  omit,
  present,
  strictObject,
  string,
} from '../fields.ts';
import { CORE_STEPS, type StepSchema, type UnknownFields } from './core-steps.ts';
import type { AcrossVar, HookKind, StepConfig } from './step.ts';
import { type CoreKey, type ModifierKey, stepShape } from './step-keys.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The schema of a step. It depends on the keys that the step has, so it is chosen by looking at the input. That way a
 * mistake deep inside is reported at its own path and not as "no alternative fits".
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
  const coreEntries = CORE_STEPS[core].entries(step);
  const entries: v.ObjectEntries = { ...coreEntries };
  for (const modifier of modifiers) Object.assign(entries, MODIFIER_ENTRIES[modifier](step));
  return v.pipe(
    looseObject(entries),
    v.transform(({ known, unknown }) => {
      const own = Object.entries(known).filter(([key]) => Object.hasOwn(coreEntries, key));
      const inner = CORE_STEPS[core].make(Object.fromEntries(own), unknownFields);
      const result = modifiers.reduceRight<StepConfig>(
        (within, modifier) => modify(modifier, known as Fields, within),
        inner,
      );
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

/** Puts a modifier around a step. */
function modify(modifier: ModifierKey, fields: Fields, step: StepConfig): StepConfig {
  switch (modifier) {
    case 'across': {
      const vars = fields['across'] as readonly AcrossVar[];
      return present({ kind: modifier, vars, fail_fast: fields['fail_fast'] as boolean | undefined, step });
    }
    case 'attempts':
      return { kind: modifier, attempts: fields[modifier] as number, step };
    case 'timeout':
      return { kind: modifier, duration: fields[modifier] as string, step };
    case 'ensure':
    case 'on_error':
    case 'on_abort':
    case 'on_failure':
    case 'on_success':
      return { kind: modifier, step, hook: fields[modifier] as StepConfig };
    default:
      return assertNever(modifier);
  }
}
