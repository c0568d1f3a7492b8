import type { AcrossPlan, Json, VarReference } from '@seaplane/config';
import { hasBegun } from '../begun.ts';
import type { BuildRun } from '../build-run.ts';
import { EngineError, isReported } from '../engine-error.ts';
import { Interruption, isCancellation } from '../interruption.ts';
import { resolveVars } from '../leaf/variables.ts';
import { childScope } from '../run-state.ts';
import { type Outcome, type Step, type StepContext, settle } from '../step.ts';
import { stepEvents } from '../step-events.ts';
import type { StepPlace, StepRun } from '../step-run.ts';
import { trackAgain } from '../track-again.ts';
import { acrossSubsteps, type Substep, shownSubstep } from './across-substeps.ts';
import { runParallel } from './parallel.ts';

/**
 * Runs a step once for every combination of its variables' values, each in a scope where they have them. The last
 * variable changes fastest; each says how many of its values may be in flight at once.
 */
export function across(run: BuildRun, place: StepPlace, plan: AcrossPlan): Step {
  const { journal, clock } = run.seams;
  return async (ctx, state) => {
    const at: StepRun = { run, ...place, ctx, state, events: stepEvents(run, place.id) };
    await journal.record({ planId: at.id, what: 'started' }, { at: clock.now().getTime() });
    await at.events.emit('initialize', {});
    const result = await settle(runAcross(at, plan));
    if ('outcome' in result) {
      await at.events.emit('finish', { succeeded: result.outcome === 'succeeded' });
      return result.outcome;
    }
    const { error } = result;
    const message = run.secrets.redact(isCancellation(error) ? 'interrupted' : error.message);
    await at.events.emit('error', { message });
    throw error instanceof Interruption || isReported(error) ? error : new EngineError('step-errored', message);
  };
}

async function runAcross(at: StepRun, plan: AcrossPlan): Promise<Outcome> {
  await at.events.emit('start', {});
  for (const { name } of plan.vars.filter((shadows) => at.state.localVars.has(shadows.name))) {
    await at.events.line('stderr', `\u001b[1;33mWARNING: across step shadows local var '${name}'\u001b[0m`);
  }
  const values = await recordedValues(at, plan);
  const substeps = await acrossSubsteps(at.id, plan, values);
  await at.events.emit('across-substeps', { substeps: substeps.map(shownSubstep) });
  const counts = values.map(({ length }) => length);
  return runFrom({ at, plan, counts, substeps }, 0, 0, at.ctx);
}

/** Recorded, so that a later walk has the same iterations, and secrets, even if a variable has changed. */
async function recordedValues(at: StepRun, plan: AcrossPlan): Promise<readonly (readonly Json[])[]> {
  const { seams, secrets } = at.run;
  const key = { planId: at.id, what: 'value' } as const;
  let recorded = await seams.journal.read(key);
  if (recorded) await trackAgain(at, (recorded['variables'] ?? []) as unknown as VarReference[]);
  else {
    const values = await acrossValues(at, plan);
    recorded = await seams.journal.record(key, { values, variables: secrets.variables() as unknown as Json });
  }
  return recorded['values'] as readonly (readonly Json[])[];
}

async function acrossValues(at: StepRun, plan: AcrossPlan): Promise<Json[]> {
  const all: Json[] = [];
  for (const { name, values } of plan.vars) {
    const list = await resolveVars(at, values ?? []);
    if (!Array.isArray(list))
      throw new EngineError('invalid-plan', `the values of the across variable ${name} are no list`);
    all.push(list as readonly Json[]);
  }
  return all;
}

interface Iterations {
  readonly at: StepRun;
  readonly plan: AcrossPlan;
  /** How many values each variable has. */
  readonly counts: readonly number[];
  readonly substeps: readonly Substep[];
}

/** Runs the iterations from `first` on that differ only in the variables from `level` on: side by side, level by level. */
function runFrom(all: Iterations, level: number, first: number, ctx: StepContext): Promise<Outcome> {
  const { at, plan, counts, substeps } = all;
  const variable = plan.vars[level];
  if (!variable) return runSubstep(all, substeps[first] as Substep, ctx);
  const count = counts[level] as number;
  const perValue = counts.slice(level + 1).reduce((product, next) => product * next, 1);
  const limit = variable.max_in_flight ?? 1;
  const { journal } = at.run.seams;
  const group = {
    id: `${at.id}/across/${level}.${first}`,
    count,
    limit: limit === 'all' ? count : Math.max(limit, 1),
    failFast: plan.fail_fast ?? false,
    run: (groupCtx: StepContext, index: number) => runFrom(all, level + 1, first + index * perValue, groupCtx),
    begun: async (index: number) => {
      const from = first + index * perValue;
      for (const substep of substeps.slice(from, from + perValue)) {
        if (await hasBegun(journal, substep.plan)) return true;
      }
      return false;
    },
  };
  return runParallel(journal, group, ctx);
}

function runSubstep({ at, plan }: Iterations, { plan: subplan, values }: Substep, ctx: StepContext): Promise<Outcome> {
  const scope = childScope(at.state);
  for (const [index, { name }] of plan.vars.entries()) scope.localVars.set(name, values[index] as Json);
  return at.run.stepOf(subplan, at.attempts)(ctx, scope);
}
