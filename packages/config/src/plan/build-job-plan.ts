import { assertNever } from '../assert-never.ts';
import { ConfigError } from '../error.ts';
import { present } from '../fields.ts';
import type { JobConfig, PipelineConfig, ResourceConfig } from '../pipeline/pipeline.ts';
import { type GetStep, type PutStep, type RunStep, resourceOf, type StepConfig, type TaskStep } from '../step/step.ts';
import { jobStep } from '../step/walk-steps.ts';
import type { Version } from '../values.ts';
import { imageForType } from './image-plan.ts';
import type { Plan, PlanBody, ResourceTypeConfig } from './plan.ts';
import { type BaseTypeDefaults, sourceWithDefaults, typesWithDefaults } from './source-defaults.ts';

export interface JobPlanRequest {
  readonly pipeline: Pick<PipelineConfig, 'resources' | 'resource_types' | 'prototypes'>;
  readonly job: JobConfig;
  /** The version of each input, by the name of its get. */
  readonly inputs: Readonly<Record<string, Version>>;
  /** Somebody triggered the build, so it checks for its images however recent their last check was. */
  readonly manuallyTriggered: boolean;
  readonly baseTypeDefaults?: BaseTypeDefaults;
  /** How often the image of a type without `check_every` is checked. Default: each minute. */
  readonly imageInterval?: string;
}

/** The state of planning one build: the request, the pipeline's types with their defaults, the last id. */
interface Planner extends JobPlanRequest {
  readonly types: readonly ResourceTypeConfig[];
  readonly ids: { last: number };
}

/** The things a step inherits from the steps around it. */
interface Surroundings {
  readonly tags: readonly string[] | undefined;
  readonly attempts: readonly number[];
}

/**
 * The plan of a job's build. Ids are hexadecimal numbers; a step's id comes after those of the steps within it. Throws
 * a ConfigError when an input has no version or a name is unknown; validation has ruled out the latter.
 */
export function buildJobPlan(request: JobPlanRequest): Plan {
  const types = typesWithDefaults(request.pipeline.resource_types, request.baseTypeDefaults, request.imageInterval);
  const planner: Planner = { ...request, types, ids: { last: 0 } };
  return planStep(planner, jobStep(request.job), { tags: request.job.tags, attempts: [] });
}

function planStep(planner: Planner, step: StepConfig, around: Surroundings): Plan {
  const inner = (child: StepConfig, tags = around.tags) => planStep(planner, child, { ...around, tags });
  const make = (body: PlanBody) => newPlan(planner, around, body);
  switch (step.kind) {
    case 'get':
      return planGet(planner, step, around);
    case 'put':
      return planPut(planner, step, around);
    case 'task':
      return make({ task: taskPlan(planner, step, around) });
    case 'run':
      return make({ run: runPlan(planner, step, around) });
    case 'set_pipeline': {
      const { kind, file = '', ...rest } = step;
      return make({ [kind]: { ...rest, file } });
    }
    case 'load_var': {
      const { kind, file = '', ...rest } = step;
      return make({ [kind]: { ...rest, file } });
    }
    case 'try':
      return make({ try: { step: inner(step.step) } });
    case 'do': {
      const steps = step.steps.map((child) => inner(child, step.tags));
      return make({ do: steps });
    }
    case 'in_parallel': {
      const { kind, steps, tags, ...rest } = step;
      const plans = steps.map((child) => inner(child, tags));
      return make({ [kind]: { steps: plans, ...rest } });
    }
    case 'across': {
      const vars = step.vars.map(({ var: name, ...rest }) => ({ name, ...rest }));
      const template = JSON.stringify(inner(step.step));
      return make({ across: present({ vars, substep_template: template, fail_fast: step.fail_fast }) });
    }
    case 'attempts': {
      const plans = Array.from({ length: step.attempts }, (_, index) =>
        planStep(planner, step.step, { ...around, attempts: [...around.attempts, index + 1] }),
      );
      return make({ retry: plans });
    }
    case 'timeout':
      return make({ timeout: { step: inner(step.step), duration: step.duration } });
    case 'on_success':
    case 'on_failure':
    case 'on_abort':
    case 'on_error':
    case 'ensure': {
      const wrapped = inner(step.step);
      return make({ [step.kind]: { step: wrapped, [step.kind]: inner(step.hook) } } as PlanBody);
    }
    default:
      return assertNever(step);
  }
}

function newPlan(planner: Planner, around: Surroundings, body: PlanBody): Plan {
  return { ...newHead(planner, around), ...body };
}

function newHead(planner: Planner, { attempts }: Surroundings): Pick<Plan, 'id' | 'attempts'> {
  planner.ids.last++;
  return { id: planner.ids.last.toString(16), ...(attempts.length > 0 && { attempts }) };
}

function planGet(planner: Planner, step: GetStep, around: Surroundings): Plan {
  const resource = findResource(planner, step);
  const version = Object.hasOwn(planner.inputs, step.name) ? planner.inputs[step.name] : undefined;
  if (version === undefined) {
    throw new ConfigError('version-not-provided', `version for input ${step.name} not provided`);
  }
  const head = newHead(planner, around);
  const tags = step.tags ?? around.tags;
  return {
    ...head,
    get: present({
      name: step.name,
      ...resourceFields(planner, resource),
      image: imageForType(head.id, resource.type, planner.types, { tags, skipInterval: false }),
      version,
      params: step.params,
      tags,
      timeout: step.timeout,
    }),
  };
}

/** A put and, without `no_get`, a get of the version it made. Later steps see the artifact of the get. */
function planPut(planner: Planner, step: PutStep, around: Surroundings): Plan {
  const resource = findResource(planner, step);
  const tags = step.tags ?? around.tags;
  const options = { tags, skipInterval: planner.manuallyTriggered };
  const shared = { name: step.name, ...resourceFields(planner, resource) };
  const putHead = newHead(planner, around);
  const put: Plan = {
    ...putHead,
    put: present({
      ...shared,
      image: imageForType(putHead.id, resource.type, planner.types, options),
      params: step.params,
      inputs: step.inputs === '' ? [] : step.inputs,
      tags,
      timeout: step.timeout,
      expose_build_created_by: resource.expose_build_created_by,
    }),
  };
  if (step.no_get) return put;
  const getHead = newHead(planner, around);
  const get: Plan = {
    ...getHead,
    get: present({
      ...shared,
      image: imageForType(getHead.id, resource.type, planner.types, options),
      version_from: put.id,
      params: step.get_params,
      tags,
      timeout: step.timeout,
    }),
  };
  return newPlan(planner, around, { on_success: { step: put, on_success: get } });
}

function taskPlan(planner: Planner, step: TaskStep, around: Surroundings) {
  const { kind: _, privileged = false, hermetic = false, file, ...rest } = step;
  return present({
    ...rest,
    privileged,
    hermetic,
    config_path: file,
    tags: step.tags ?? around.tags,
    resource_types: planner.types.length > 0 ? planner.types : undefined,
    check_skip_interval: planner.manuallyTriggered || undefined,
  });
}

function runPlan(planner: Planner, step: RunStep, around: Surroundings) {
  const prototype = planner.pipeline.prototypes.find(({ name }) => name === step.type);
  if (prototype === undefined) throw new ConfigError('unknown-prototype', `unknown prototype: ${step.type}`);
  const { kind: _, params, privileged = false, ...rest } = step;
  const object = { ...prototype.defaults, ...params };
  return present({
    ...rest,
    privileged,
    object: Object.keys(object).length > 0 ? object : undefined,
    tags: step.tags ?? around.tags,
  });
}

function findResource(planner: Planner, step: GetStep | PutStep): ResourceConfig {
  const wanted = resourceOf(step);
  const resource = planner.pipeline.resources.find(({ name }) => name === wanted);
  if (resource === undefined) throw new ConfigError('unknown-resource', `unknown resource: ${wanted}`);
  return resource;
}

function resourceFields(planner: Planner, { name, type, source }: ResourceConfig) {
  return { resource: name, type, source: sourceWithDefaults(type, source, planner.types, planner.baseTypeDefaults) };
}
