import { assertNever } from '../assert-never.ts';
import type { JsonObject, Version } from '../values.ts';
import type { CheckPlan, GetPlan, Plan, PutPlan, RunPlan, TaskPlan, TypeImage } from './plan.ts';

/** A plan as everybody may see it: ids, names and shape, without sources, params and configurations. */
export type PublicPlan = { readonly id: string } & PublicBody;

type PublicBody =
  | { readonly get: PublicGet }
  | { readonly put: PublicPut }
  | { readonly check: PublicCheck }
  | { readonly task: Pick<Required<TaskPlan>, 'name' | 'privileged' | 'hermetic'> }
  | { readonly run: Pick<RunPlan, 'message' | 'type' | 'privileged'> }
  | { readonly set_pipeline: PublicSetPipeline }
  | { readonly load_var: { readonly name: string } }
  | { readonly do: readonly PublicPlan[] }
  | { readonly in_parallel: PublicParallel }
  | { readonly across: PublicAcross }
  | { readonly on_success: { readonly step: PublicPlan; readonly on_success: PublicPlan } }
  | { readonly on_failure: { readonly step: PublicPlan; readonly on_failure: PublicPlan } }
  | { readonly on_abort: { readonly step: PublicPlan; readonly on_abort: PublicPlan } }
  | { readonly on_error: { readonly step: PublicPlan; readonly on_error: PublicPlan } }
  | { readonly ensure: { readonly step: PublicPlan; readonly ensure: PublicPlan } }
  | { readonly try: { readonly step: PublicPlan } }
  | { readonly timeout: { readonly step: PublicPlan; readonly duration: string } }
  | { readonly retry: readonly PublicPlan[] }
  | { readonly artifact_input: { readonly artifact_id: number; readonly name: string } }
  | { readonly artifact_output: { readonly name: string } };

// Types, not interfaces: a public plan is also a JsonObject.
type PublicImage = { readonly image_get_plan?: PublicPlan; readonly image_check_plan?: PublicPlan };
type PublicCheck = PublicImage & { readonly name: string; readonly type: string };
type PublicPut = PublicCheck & { readonly resource?: string };
type PublicGet = PublicPut & { readonly version?: Version };
type PublicSetPipeline = { readonly name: string; readonly team: string; readonly instance_vars: JsonObject | null };
type PublicParallel = { readonly steps: readonly PublicPlan[]; readonly limit?: number; readonly fail_fast?: boolean };
type PublicAcross = { readonly vars: readonly { readonly name: string }[]; readonly fail_fast?: boolean };

export function publicPlan(plan: Plan): PublicPlan {
  return { id: plan.id, ...publicBody(plan) };
}

function publicBody(plan: Plan): PublicBody {
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

function publicHook(plan: Extract<Plan, HookPlan>): PublicBody {
  if ('on_success' in plan) {
    const { step, on_success: hook } = plan.on_success;
    return { on_success: { step: publicPlan(step), on_success: publicPlan(hook) } };
  }
  if ('on_failure' in plan) {
    const { step, on_failure: hook } = plan.on_failure;
    return { on_failure: { step: publicPlan(step), on_failure: publicPlan(hook) } };
  }
  if ('on_abort' in plan) {
    const { step, on_abort: hook } = plan.on_abort;
    return { on_abort: { step: publicPlan(step), on_abort: publicPlan(hook) } };
  }
  if ('on_error' in plan) {
    const { step, on_error: hook } = plan.on_error;
    return { on_error: { step: publicPlan(step), on_error: publicPlan(hook) } };
  }
  if ('ensure' in plan) {
    const { step, ensure: hook } = plan.ensure;
    return { ensure: { step: publicPlan(step), ensure: publicPlan(hook) } };
  }
  return assertNever(plan);
}

type HookPlan =
  | { readonly on_success: unknown }
  | { readonly on_failure: unknown }
  | { readonly on_abort: unknown }
  | { readonly on_error: unknown }
  | { readonly ensure: unknown };

function publicGet({ name = '', type, resource, version, image }: GetPlan): PublicGet {
  return { name, type, ...(resource && { resource }), ...(version && { version }), ...publicImage(image) };
}

function publicPut({ name, type, resource, image }: PutPlan): PublicPut {
  return { name, type, ...(resource && { resource }), ...publicImage(image) };
}

function publicCheck({ name, type, image }: CheckPlan): PublicCheck {
  return { name, type, ...publicImage(image) };
}

function publicImage({ get_plan: get, check_plan: check }: TypeImage): PublicImage {
  return {
    ...(get !== undefined && { image_get_plan: publicPlan(get) }),
    ...(check !== undefined && { image_check_plan: publicPlan(check) }),
  };
}
