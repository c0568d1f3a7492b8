import type { Plan, TypeImage } from '@seaplane/config';

/** Applies `map` to a plan and to all plans below it, parents first, in the order in which the plan names them. */
export function mapPlans(plan: Plan, map: (plan: Plan) => Plan): Plan {
  return mapChildren(map(plan), (child) => mapPlans(child, map));
}

function mapChildren(plan: Plan, map: (child: Plan) => Plan): Plan {
  if ('do' in plan) return { ...plan, do: plan.do.map(map) };
  if ('retry' in plan) return { ...plan, retry: plan.retry.map(map) };
  if ('in_parallel' in plan) {
    return { ...plan, in_parallel: { ...plan.in_parallel, steps: plan.in_parallel.steps.map(map) } };
  }
  if ('try' in plan) return { ...plan, try: { step: map(plan.try.step) } };
  if ('timeout' in plan) return { ...plan, timeout: { ...plan.timeout, step: map(plan.timeout.step) } };
  if ('on_success' in plan) {
    const { step, on_success } = plan.on_success;
    return { ...plan, on_success: { step: map(step), on_success: map(on_success) } };
  }
  if ('on_failure' in plan) {
    const { step, on_failure } = plan.on_failure;
    return { ...plan, on_failure: { step: map(step), on_failure: map(on_failure) } };
  }
  if ('on_abort' in plan) {
    const { step, on_abort } = plan.on_abort;
    return { ...plan, on_abort: { step: map(step), on_abort: map(on_abort) } };
  }
  if ('on_error' in plan) {
    const { step, on_error } = plan.on_error;
    return { ...plan, on_error: { step: map(step), on_error: map(on_error) } };
  }
  if ('ensure' in plan) return { ...plan, ensure: { step: map(plan.ensure.step), ensure: map(plan.ensure.ensure) } };
  if ('get' in plan) return { ...plan, get: { ...plan.get, image: mapImage(plan.get.image, map) } };
  if ('put' in plan) return { ...plan, put: { ...plan.put, image: mapImage(plan.put.image, map) } };
  if ('check' in plan) return { ...plan, check: { ...plan.check, image: mapImage(plan.check.image, map) } };
  return plan satisfies ChildlessPlan;
}

/** Plans without children. The compiler asks for every other kind of plan above. */
type ChildlessPlan = Extract<
  Plan,
  | { readonly task: unknown }
  | { readonly run: unknown }
  | { readonly set_pipeline: unknown }
  | { readonly load_var: unknown }
  | { readonly across: unknown }
  | { readonly artifact_input: unknown }
  | { readonly artifact_output: unknown }
>;

function mapImage(image: TypeImage, map: (child: Plan) => Plan): TypeImage {
  const { check_plan, get_plan } = image;
  return {
    ...image,
    ...(check_plan ? { check_plan: map(check_plan) } : {}),
    ...(get_plan ? { get_plan: map(get_plan) } : {}),
  };
}

/**
 * The leaves of which one is the first to run when the plan runs. There is one, or several where steps run side by
 * side. An empty plan has none.
 */
export function firstLeaves(plan: Plan): Plan[] {
  if ('in_parallel' in plan) return plan.in_parallel.steps.flatMap(firstLeaves);
  if ('do' in plan) return firstOf(plan.do);
  if ('retry' in plan) return firstOf(plan.retry);
  const wrapped = wrappedStep(plan);
  return wrapped ? firstLeaves(wrapped) : [plan];
}

function firstOf(plans: readonly Plan[]): Plan[] {
  return plans.map(firstLeaves).find((leaves) => leaves.length > 0) ?? [];
}

function wrappedStep(plan: Plan): Plan | undefined {
  if ('try' in plan) return plan.try.step;
  if ('timeout' in plan) return plan.timeout.step;
  if ('on_success' in plan) return plan.on_success.step;
  if ('on_failure' in plan) return plan.on_failure.step;
  if ('on_abort' in plan) return plan.on_abort.step;
  if ('on_error' in plan) return plan.on_error.step;
  if ('ensure' in plan) return plan.ensure.step;
  return undefined;
}
