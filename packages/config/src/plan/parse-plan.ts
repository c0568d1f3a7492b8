import * as v from 'valibot';
import { ConfigError } from '../error.ts';
import {
  boolean,
  environment,
  integer,
  isJsonObject,
  json,
  jsonObject,
  keep,
  lenientObject,
  list,
  omit,
  string,
  stringMap,
  strings,
  tags,
} from '../fields.ts';
import { describeIssue } from '../malformed.ts';
import { putInputs } from '../step/step-values.ts';
import { containerLimits } from '../task/container-limits.ts';
import { embeddedTaskSchema } from '../task/task-schema.ts';
import { goQuotedList } from '../text/go-text.ts';
import type { Json } from '../values.ts';
import type { Plan, PlanBody } from './plan.ts';

type PlanSchema = v.GenericSchema<unknown, Plan>;
type BodySchema = v.GenericSchema<unknown, unknown>;
type BodyKey = PlanBody extends infer B ? (B extends object ? keyof B : never) : never;

/** Reads a plan from outside. Throws a ConfigError that names the place of a mistake. */
export function parsePlan(tree: Json): Plan {
  const result = v.safeParse(planSchema(), tree, { abortEarly: true });
  if (result.success) return result.output;
  throw new ConfigError('invalid-plan', `invalid plan: ${describeIssue(result.issues[0])}`);
}

/** The schema depends on the key that the plan has, so it is chosen by looking at the input. */
function planSchema(): PlanSchema {
  const kinds = new Map<BodyKey, PlanSchema>();
  const plan: PlanSchema = v.lazy((input) => {
    if (!isJsonObject(input)) return refuse('a plan must be an object');
    const keys = BODY_KEYS.filter((key) => input[key] !== undefined && input[key] !== null);
    const [key] = keys;
    if (key === undefined) return refuse(`a plan must have one of ${goQuotedList(BODY_KEYS)}`);
    if (keys.length > 1) return refuse(`a plan must be one step, but has ${goQuotedList(keys)}`);
    const schema = kinds.get(key) ?? kindSchema(key, plan);
    kinds.set(key, schema);
    return schema;
  });
  return plan;
}

function kindSchema(key: BodyKey, plan: PlanSchema): PlanSchema {
  const entries = { id: string, attempts: omit(list(integer)), [key]: BODIES[key](plan) };
  return lenientObject(entries) as unknown as PlanSchema;
}

function refuse(message: string): PlanSchema {
  return v.custom<Plan>(() => false, message);
}

const source = v.nullish(jsonObject, {});

function image(plan: PlanSchema) {
  return v.nullish(
    lenientObject({ check_plan: keep(plan), get_plan: keep(plan), base_type: omit(string), privileged: omit(boolean) }),
    {},
  );
}

/** The fields that a get, a put and a check share. */
function resourceStep(plan: PlanSchema) {
  return {
    type: string,
    source,
    image: image(plan),
    resource: omit(string),
    tags: omit(tags),
    timeout: omit(string),
  };
}

/**
 * Refuses a base type that is not the step's type. The base type is run, and the type names the cache and the versions that
 * all teams share: a plan could else store one under the name of the other.
 */
function runsItsType<
  S extends v.GenericSchema<unknown, { type: string; image: { get_plan?: unknown; base_type?: string } }>,
>(schema: S) {
  return v.pipe(
    schema,
    v.check(
      ({ type, image }) => image.get_plan !== undefined || (image.base_type ?? type) === type,
      ({ input }) => `image.base_type must be the type ${input.type}, or image.get_plan must fetch the image`,
    ),
  );
}

const taskConfig = v.pipe(
  embeddedTaskSchema(),
  v.check(
    ({ unknown }) => unknown.length === 0,
    ({ input }) => `unknown fields ${goQuotedList(input.unknown)}`,
  ),
  v.transform(({ config }) => config),
);

const resourceType = lenientObject({
  name: string,
  type: string,
  source,
  defaults: omit(jsonObject),
  privileged: omit(boolean),
  check_every: omit(string),
  tags: omit(tags),
  params: omit(jsonObject),
});

const acrossVar = lenientObject({
  name: string,
  values: keep(json),
  max_in_flight: keep(v.lazy((input) => (input === 'all' ? v.literal('all') : integer))),
});

const hook = (key: string) => (plan: PlanSchema) => lenientObject({ step: plan, [key]: plan });

const BODIES: Readonly<Record<BodyKey, (plan: PlanSchema) => BodySchema>> = {
  get: (plan) =>
    runsItsType(
      lenientObject({
        name: omit(string),
        ...resourceStep(plan),
        version: keep(stringMap(string)),
        version_from: omit(string),
        params: omit(jsonObject),
      }),
    ),
  put: (plan) =>
    runsItsType(
      lenientObject({
        name: string,
        ...resourceStep(plan),
        params: omit(jsonObject),
        inputs: keep(
          v.pipe(
            putInputs,
            v.transform((inputs) => (inputs === '' ? [] : inputs)),
          ),
        ),
        expose_build_created_by: omit(boolean),
      }),
    ),
  check: (plan) =>
    runsItsType(
      lenientObject({
        name: string,
        ...resourceStep(plan),
        from_version: omit(stringMap(string)),
        resource_type: omit(string),
        prototype: omit(string),
        interval: omit(string),
        skip_interval: omit(boolean),
      }),
    ),
  task: () =>
    lenientObject({
      name: string,
      privileged: v.nullish(boolean, false),
      hermetic: v.nullish(boolean, false),
      tags: omit(tags),
      config_path: omit(string),
      config: keep(taskConfig),
      container_limits: keep(containerLimits(lenientObject)),
      image: omit(string),
      vars: omit(jsonObject),
      params: omit(environment),
      input_mapping: omit(stringMap(string)),
      output_mapping: omit(stringMap(string)),
      timeout: omit(string),
      resource_types: omit(list(resourceType)),
      check_skip_interval: omit(boolean),
    }),
  run: () =>
    lenientObject({
      message: string,
      type: string,
      object: omit(jsonObject),
      privileged: v.nullish(boolean, false),
      tags: omit(tags),
      container_limits: keep(containerLimits(lenientObject)),
      timeout: omit(string),
    }),
  set_pipeline: () =>
    lenientObject({
      name: string,
      file: string,
      team: omit(string),
      vars: omit(jsonObject),
      var_files: omit(strings(string)),
      instance_vars: omit(jsonObject),
    }),
  load_var: () => lenientObject({ name: string, file: string, format: omit(string), reveal: omit(boolean) }),
  do: (plan) => list(plan),
  in_parallel: (plan) =>
    lenientObject({ steps: v.nullish(list(plan), []), limit: omit(integer), fail_fast: omit(boolean) }),
  across: () =>
    lenientObject({ vars: v.nullish(list(acrossVar), []), substep_template: string, fail_fast: omit(boolean) }),
  on_success: hook('on_success'),
  on_failure: hook('on_failure'),
  on_abort: hook('on_abort'),
  on_error: hook('on_error'),
  ensure: hook('ensure'),
  try: (plan) => lenientObject({ step: plan }),
  timeout: (plan) => lenientObject({ step: plan, duration: string }),
  retry: (plan) => list(plan),
  artifact_input: () => lenientObject({ artifact_id: integer, name: string }),
  artifact_output: () => lenientObject({ name: string }),
};

const BODY_KEYS = Object.keys(BODIES) as BodyKey[];
