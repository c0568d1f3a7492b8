import { assertNever } from '../assert-never.ts';
import type { JsonObject } from '../values.ts';
import type { CheckPlan, GetPlan, Plan, PutPlan, TypeImage } from './plan.ts';

/** A plan as everybody may see it: ids, names and shape, without sources, params and configurations. */
export function publicPlan(plan: Plan): JsonObject {
  return { id: plan.id, ...publicBody(plan) };
}

function publicBody(plan: Plan): JsonObject {
  if ('get' in plan) return { get: publicGet(plan.get) };
  if ('put' in plan) return { put: publicPut(plan.put) };
  if ('check' in plan) return { check: publicCheck(plan.check) };
  if ('task' in plan) {
    const { name, privileged, hermetic = false } = plan.task;
    return { task: { name, privileged, hermetic } };
  }
  if ('run' in plan) {
    const { message, type, privileged } = plan.run;
    return { run: { message, type, privileged } };
  }
  if ('set_pipeline' in plan) {
    const { name, team = '', instance_vars: instanceVars = null } = plan.set_pipeline;
    return { set_pipeline: { name, team, instance_vars: instanceVars } };
  }
  if ('load_var' in plan) return { load_var: { name: plan.load_var.name } };
  if ('do' in plan) return { do: plan.do.map(publicPlan) };
  if ('in_parallel' in plan) {
    const { steps, limit, fail_fast: failFast } = plan.in_parallel;
    return {
      in_parallel: { steps: steps.map(publicPlan), ...(limit && { limit }), ...(failFast && { fail_fast: failFast }) },
    };
  }
  if ('across' in plan) {
    const { vars, fail_fast: failFast } = plan.across;
    return { across: { vars: vars.map(({ name }) => ({ name })), ...(failFast && { fail_fast: failFast }) } };
  }
  if ('try' in plan) return { try: { step: publicPlan(plan.try.step) } };
  if ('timeout' in plan) {
    return { timeout: { step: publicPlan(plan.timeout.step), duration: plan.timeout.duration } };
  }
  if ('retry' in plan) return { retry: plan.retry.map(publicPlan) };
  if ('artifact_input' in plan) return { artifact_input: { ...plan.artifact_input } };
  if ('artifact_output' in plan) return { artifact_output: { ...plan.artifact_output } };
  return publicHook(plan);
}

function publicHook(plan: Extract<Plan, HookPlan>): JsonObject {
  if ('on_success' in plan) return { on_success: bothPublic(plan.on_success) };
  if ('on_failure' in plan) return { on_failure: bothPublic(plan.on_failure) };
  if ('on_abort' in plan) return { on_abort: bothPublic(plan.on_abort) };
  if ('on_error' in plan) return { on_error: bothPublic(plan.on_error) };
  if ('ensure' in plan) return { ensure: bothPublic(plan.ensure) };
  return assertNever(plan);
}

type HookPlan =
  | { readonly on_success: unknown }
  | { readonly on_failure: unknown }
  | { readonly on_abort: unknown }
  | { readonly on_error: unknown }
  | { readonly ensure: unknown };

function bothPublic(steps: Readonly<Record<string, Plan>>): JsonObject {
  return Object.fromEntries(Object.entries(steps).map(([key, step]) => [key, publicPlan(step)]));
}

function publicGet({ name = '', type, resource, version, image }: GetPlan): JsonObject {
  return { name, type, ...(resource && { resource }), ...(version && { version }), ...publicImage(image) };
}

function publicPut({ name, type, resource, image }: PutPlan): JsonObject {
  return { name, type, ...(resource && { resource }), ...publicImage(image) };
}

function publicCheck({ name, type, image }: CheckPlan): JsonObject {
  return { name, type, ...publicImage(image) };
}

function publicImage({ get_plan: get, check_plan: check }: TypeImage): JsonObject {
  return {
    ...(get !== undefined && { image_get_plan: publicPlan(get) }),
    ...(check !== undefined && { image_check_plan: publicPlan(check) }),
  };
}
