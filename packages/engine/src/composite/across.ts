import type { AcrossPlan, Json, VarReference } from '@seaplane/config';
import { EngineError, isReported } from '../engine-error.ts';
import { hasBegun } from '../journal/has-begun.ts';
import { journalMark } from '../journal/mark.ts';
import { resolveVars } from '../leaf/variables.ts';
import { stepEvents } from '../output/step-events.ts';
import { trackAgain } from '../secrets/track-again.ts';
import { childScope } from '../walk/build-state.ts';
import type { BuildWalk } from '../walk/build-walk.ts';
import { Interruption, isCancellation } from '../walk/interruption.ts';
import { type Outcome, type Step, type StepContext, settle } from '../walk/step.ts';
import type { StepPlace, StepVisit } from '../walk/step-visit.ts';
import { acrossSubsteps, type Substep, shownSubstep } from './across-substeps.ts';
import { type Group, runParallel } from './parallel.ts';

/**
 * Runs a step once for every combination of the variables' values, each time in a scope of its own. The last variable
 * changes fastest. Each variable limits how many of its values are in flight at once.
 */
export function across(walk: BuildWalk, place: StepPlace, plan: AcrossPlan): Step {
  const { journal, clock } = walk.seams;
  return async (ctx, state) => {
    const visit: StepVisit = { walk, ...place, ctx, state, events: stepEvents(walk, place.id) };
    await journal.record({ planId: visit.id, what: 'started' }, { at: clock.now().getTime() });
    await visit.events.emit('initialize', {});
    const result = await settle(runAcross(visit, plan));
    if ('outcome' in result) {
      await visit.events.emit('finish', { succeeded: result.outcome === 'succeeded' });
      return result.outcome;
    }
    const { error } = result;
    const message = walk.secrets.redact(isCancellation(error) ? 'interrupted' : error.message);
    await visit.events.emit('error', { message });
    throw error instanceof Interruption || isReported(error) ? error : new EngineError('step-errored', message);
  };
}

async function runAcross(visit: StepVisit, plan: AcrossPlan): Promise<Outcome> {
  await visit.events.emit('start', {});
  for (const { name } of plan.vars.filter((shadows) => visit.state.localVars.has(shadows.name))) {
    await visit.events.writeLine('stderr', `\u001b[1;33mWARNING: across step shadows local var '${name}'\u001b[0m`);
  }
  const values = await readOrRecordValues(visit, plan);
  const substeps = await acrossSubsteps(visit.id, plan, values);
  await visit.events.emit('across-substeps', { substeps: substeps.map(shownSubstep) });
  const counts = values.map(({ length }) => length);
  return runFrom({ visit, plan, counts, substeps }, 0, 0, visit.ctx);
}

/** Recorded, so that a later walk has the same iterations and secrets, even if a variable has changed. */
async function readOrRecordValues(visit: StepVisit, plan: AcrossPlan): Promise<readonly (readonly Json[])[]> {
  const { seams, secrets } = visit.walk;
  const key = { planId: visit.id, what: 'across-values' } as const;
  let recorded = await seams.journal.read(key);
  if (recorded) await trackAgain(visit, (recorded['variables'] ?? []) as unknown as VarReference[]);
  else {
    const values = await resolveValues(visit, plan);
    recorded = await seams.journal.record(key, { values, variables: secrets.variables() as unknown as Json });
  }
  return recorded['values'] as readonly (readonly Json[])[];
}

async function resolveValues(visit: StepVisit, plan: AcrossPlan): Promise<Json[]> {
  const all: Json[] = [];
  for (const { name, values } of plan.vars) {
    const list = await resolveVars(visit, values ?? []);
    if (!Array.isArray(list))
      throw new EngineError('invalid-plan', `the values of the across variable ${name} are not a list`);
    all.push(list as readonly Json[]);
  }
  return all;
}

interface Iterations {
  readonly visit: StepVisit;
  readonly plan: AcrossPlan;
  /** How many values each variable has. */
  readonly counts: readonly number[];
  readonly substeps: readonly Substep[];
}

/** Runs the iterations from `first` on that differ only in the variables from `level` on, one group for each level. */
function runFrom(all: Iterations, level: number, first: number, ctx: StepContext): Promise<Outcome> {
  const { visit, plan, counts, substeps } = all;
  const variable = plan.vars[level];
  if (!variable) return runSubstep(all, substeps[first] as Substep, ctx);
  const count = counts[level] as number;
  const perValue = counts.slice(level + 1).reduce((product, next) => product * next, 1);
  const limit = variable.max_in_flight ?? 1;
  const { journal } = visit.walk.seams;
  const id = `${visit.id}/across/${level}.${first}`;
  const group: Group = {
    id,
    count,
    limit: limit === 'all' ? count : Math.max(limit, 1),
    failFast: plan.fail_fast ? journalMark(journal, id, 'failed-fast') : undefined,
    run: (groupCtx, index) => runFrom(all, level + 1, first + index * perValue, groupCtx),
    hasBegun: async (index) => {
      const from = first + index * perValue;
      for (const substep of substeps.slice(from, from + perValue)) {
        if (await hasBegun(journal, substep.plan)) return true;
      }
      return false;
    },
  };
  return runParallel(group, ctx);
}

function runSubstep(
  { visit, plan }: Iterations,
  { plan: subplan, values }: Substep,
  ctx: StepContext,
): Promise<Outcome> {
  const scope = childScope(visit.state);
  for (const [index, { name }] of plan.vars.entries()) scope.localVars.set(name, values[index] as Json);
  return visit.walk.stepOf(subplan, visit.attempts)(ctx, scope);
}
