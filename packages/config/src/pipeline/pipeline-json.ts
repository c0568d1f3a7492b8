import { assertNever } from '../assert-never.ts';
import { NO_STEPS } from '../step/no-steps.ts';
import type { StepConfig } from '../step/step.ts';
import type { TaskConfig } from '../task/task-config.ts';
import type { Json, JsonObject } from '../values.ts';
import type { JobConfig, PipelineConfig } from './pipeline.ts';

/**
 * A pipeline as the API returns it: Concourse's field names, empty fields left out, `source` and `plan` always there.
 * `fly` compares it with the pipeline it is about to send. `readPipeline` reads it as the same pipeline.
 */
export function configToJson(config: PipelineConfig): JsonObject {
  return nonEmpty({
    groups: asJson(config.groups),
    var_sources: config.var_sources.map(({ name, type, config: own = null }) => ({ name, type, config: own })),
    resources: asJson(config.resources),
    resource_types: asJson(config.resource_types),
    prototypes: asJson(config.prototypes),
    jobs: config.jobs.map(jobToJson),
    ...(config.display !== undefined && { display: asJson(config.display) }),
    ...(config.user_data !== undefined && { user_data: config.user_data }),
  });
}

function nonEmpty(sections: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(sections).filter(([, items]) => !Array.isArray(items) || items.length > 0));
}

const HOOKS = ['on_success', 'on_failure', 'on_abort', 'on_error', 'ensure'] as const;

function jobToJson(job: JobConfig): JsonObject {
  const hooks = HOOKS.flatMap((kind) => {
    const hook = job[kind];
    return hook === undefined ? [] : [[kind, stepToJson(hook)] as const];
  });
  return { ...asJson(job), ...Object.fromEntries(hooks), plan: stepsToJson(job.plan) };
}

function stepsToJson(steps: readonly StepConfig[]): Json {
  return steps === NO_STEPS ? null : steps.map(stepToJson);
}

/** A step as one flat map: its own fields and those of its modifiers. */
export function stepToJson(step: StepConfig): JsonObject {
  switch (step.kind) {
    case 'get':
    case 'put':
    case 'set_pipeline':
    case 'load_var': {
      const { kind, name, ...rest } = step;
      return { [kind]: name, ...asJson(rest) };
    }
    case 'task': {
      const { kind, name, config, ...rest } = step;
      return { [kind]: name, ...asJson(rest), ...(config !== undefined && { config: taskToJson(config) }) };
    }
    case 'run': {
      const { kind, message, ...rest } = step;
      return { [kind]: message, ...asJson(rest) };
    }
    case 'try':
      return { try: stepToJson(step.step) };
    case 'do':
      return { do: stepsToJson(step.steps), ...(step.tags !== undefined && { tags: step.tags }) };
    case 'in_parallel': {
      const { kind, steps, tags, ...rest } = step;
      const inside = { ...(steps.length > 0 && { steps: steps.map(stepToJson) }), ...asJson(rest) };
      return { [kind]: inside, ...(tags !== undefined && { tags }) };
    }
    case 'across': {
      const { vars, fail_fast: failFast } = step;
      return { across: asJson(vars), ...(failFast && { fail_fast: failFast }), ...stepToJson(step.step) };
    }
    case 'attempts':
      return { attempts: step.attempts, ...stepToJson(step.step) };
    case 'timeout':
      return { timeout: step.duration, ...stepToJson(step.step) };
    case 'on_success':
    case 'on_failure':
    case 'on_abort':
    case 'on_error':
    case 'ensure':
      return { [step.kind]: stepToJson(step.hook), ...stepToJson(step.step) };
    default:
      return assertNever(step);
  }
}

function taskToJson(config: TaskConfig): JsonObject {
  const { image_resource: image, ...rest } = config;
  return { ...asJson(rest), ...(image !== undefined && { image_resource: { name: '', ...asJson(image) } }) };
}

/** Everything in these types is JSON, which the compiler cannot see in an interface. */
function asJson(value: object): JsonObject {
  return value as JsonObject;
}
