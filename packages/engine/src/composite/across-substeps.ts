import type { AcrossPlan, Json, JsonObject, Plan } from '@seaplane/config';
import { parseJson, publicPlan } from '@seaplane/config';
import type { ShownSubstep } from '../events.ts';
import { interpolateWith } from '../leaf/variables.ts';
import { mapPlans } from '../walk/plan-tree.ts';

/** One iteration of `across`: its values and its plan. */
export interface Substep {
  readonly values: readonly Json[];
  readonly plan: Plan;
}

/** The iterations, with the last variable changing fastest. Each has a plan made from the template. */
export async function acrossSubsteps(
  id: string,
  plan: AcrossPlan,
  values: readonly (readonly Json[])[],
): Promise<Substep[]> {
  const substeps: Substep[] = [];
  for (const combination of combinations(values)) {
    const vars = Object.fromEntries(plan.vars.map(({ name }, index) => [name, combination[index] as Json]));
    const filled = await fillTemplate(plan.substep_template, vars);
    substeps.push({ values: combination, plan: renumber(filled, `${id}/${substeps.length}`) });
  }
  return substeps;
}

/**
 * The plan of a template, with values put in. The template of an `across` within is filled as a plan as well, not as
 * text, so that a value cannot change the plan, whatever it holds. Variables of the inner `across` hide outer ones.
 */
async function fillTemplate(template: string, vars: JsonObject): Promise<Plan> {
  const inner = new Map<string, AcrossPlan>();
  const outer = mapPlans(parseJson(template) as unknown as Plan, (plan) => {
    if (!('across' in plan)) return plan;
    inner.set(plan.id, plan.across);
    return { ...plan, across: { ...plan.across, substep_template: '' } };
  });
  const filled = (await interpolateWith(vars, outer as unknown as JsonObject, '.')) as unknown as Plan;
  const templates = new Map<string, string>();
  for (const [id, { vars: own, substep_template: text }] of inner) {
    const others = Object.entries(vars).filter(([name]) => !own.some((hiding) => hiding.name === name));
    templates.set(id, JSON.stringify(await fillTemplate(text, Object.fromEntries(others))));
  }
  return mapPlans(filled, (plan) => {
    if (!('across' in plan)) return plan;
    return { ...plan, across: { ...plan.across, substep_template: templates.get(plan.id) ?? '' } };
  });
}

export function shownSubstep({ values, plan }: Substep): ShownSubstep {
  return { step: publicPlan(plan), values };
}

function combinations(values: readonly (readonly Json[])[]): Json[][] {
  return values.reduce<Json[][]>(
    (shorter, next) => shorter.flatMap((combination) => next.map((value) => [...combination, value])),
    [[]],
  );
}

/** Gives the plans of an iteration ids of their own, and keeps references between them. */
function renumber(plan: Plan, prefix: string): Plan {
  const ids = new Map<string, string>();
  const renamed = mapPlans(plan, (old) => {
    const id = `${prefix}/${ids.size}`;
    ids.set(old.id, id);
    return { ...old, id };
  });
  return mapPlans(renamed, (old) => {
    if (!('get' in old) || old.get.version_from === undefined) return old;
    return { ...old, get: { ...old.get, version_from: ids.get(old.get.version_from) ?? old.get.version_from } };
  });
}
