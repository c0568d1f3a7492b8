import type { Plan } from '@seaplane/config';
import { across } from '../composite/across.ts';
import { doStep } from '../composite/do.ts';
import { ensure } from '../composite/ensure.ts';
import { inParallel } from '../composite/in-parallel.ts';
import type { Member } from '../composite/member.ts';
import { onAbort } from '../composite/on-abort.ts';
import { onError } from '../composite/on-error.ts';
import { onFailure } from '../composite/on-failure.ts';
import { onSuccess } from '../composite/on-success.ts';
import { retry } from '../composite/retry.ts';
import { timeout } from '../composite/timeout.ts';
import { tryStep } from '../composite/try.ts';
import { EngineError } from '../engine-error.ts';
import { hasBegun } from '../journal/has-begun.ts';
import { journalMark } from '../journal/mark.ts';
import { artifactInputStep } from '../leaf/artifact-input.ts';
import { artifactOutputStep } from '../leaf/artifact-output.ts';
import { loadVarStep } from '../leaf/load-var.ts';
import { checkStep } from '../leaf/resource/check.ts';
import { getStep } from '../leaf/resource/get.ts';
import { putStep } from '../leaf/resource/put.ts';
import { runPrototypeStep } from '../leaf/run-prototype.ts';
import { setPipelineStep } from '../leaf/set-pipeline.ts';
import { taskStep } from '../leaf/task/task.ts';
import type { BuildWalk } from './build-walk.ts';
import type { Step } from './step.ts';

/** Makes a plan runnable. `attempts` are the numbers of the attempts in the retries around it, outermost first. */
export function stepOfPlan(walk: BuildWalk, plan: Plan, attempts: readonly number[]): Step {
  const { journal } = walk.seams;
  const place = { id: plan.id, attempts };
  const of = (child: Plan) => stepOfPlan(walk, child, attempts);
  const memberOf = (child: Plan, ...attempt: number[]): Member => ({
    step: stepOfPlan(walk, child, [...attempts, ...attempt]),
    hasBegun: () => hasBegun(journal, child),
  });

  if ('get' in plan) return getStep(walk, place, plan.get);
  if ('put' in plan) return putStep(walk, place, plan.put);
  if ('task' in plan) return taskStep(walk, place, plan.task);
  if ('check' in plan) return checkStep(walk, place, plan.check);
  if ('run' in plan) return runPrototypeStep(walk, place, plan.run);
  if ('set_pipeline' in plan) return setPipelineStep(walk, place, plan.set_pipeline);
  if ('load_var' in plan) return loadVarStep(walk, place, plan.load_var);
  if ('artifact_input' in plan) return artifactInputStep(walk, place, plan.artifact_input);
  if ('artifact_output' in plan) return artifactOutputStep(walk, place, plan.artifact_output);

  if ('do' in plan) return doStep(plan.do.map(of));
  if ('try' in plan) return tryStep(of(plan.try.step));
  if ('on_success' in plan) return onSuccess(of(plan.on_success.step), of(plan.on_success.on_success));
  if ('on_failure' in plan) return onFailure(of(plan.on_failure.step), of(plan.on_failure.on_failure));
  if ('on_abort' in plan) return onAbort(of(plan.on_abort.step), of(plan.on_abort.on_abort));
  if ('on_error' in plan) return onError(of(plan.on_error.step), of(plan.on_error.on_error));
  if ('ensure' in plan) {
    const { step, ensure: hook } = plan.ensure;
    return ensure(of(step), memberOf(hook), journalMark(journal, plan.id, 'aborted-before-hook'));
  }
  if ('timeout' in plan) return timeout(walk.seams, plan.id, of(plan.timeout.step), plan.timeout.duration);
  if ('across' in plan) return across(walk, place, plan.across);
  if ('in_parallel' in plan) {
    const { steps, limit, fail_fast } = plan.in_parallel;
    const failFast = fail_fast ? journalMark(journal, plan.id, 'failed-fast') : undefined;
    return inParallel(
      plan.id,
      steps.map((child) => memberOf(child)),
      { limit, failFast },
    );
  }
  if ('retry' in plan) return retry(plan.retry.map((child, index) => memberOf(child, index + 1)));
  return unknownStep(plan);
}

function unknownStep(plan: never): Step {
  const { id } = plan as Plan;
  return async () => {
    throw new EngineError('invalid-plan', `the plan ${id} is not of a kind that this version of Seaplane knows`);
  };
}
