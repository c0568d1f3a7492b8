import { assertNever } from '../assert-never.ts';
import type { JobConfig } from '../pipeline/pipeline.ts';
import type { GetStep, HookKind, PutStep, StepConfig } from './step.ts';

/** The hooks of a job, innermost first. */
const JOB_HOOKS: readonly HookKind[] = ['on_success', 'on_failure', 'on_abort', 'on_error', 'ensure'];

/** A job's plan as one step: a `do` with the job's hooks around it. */
export function jobStep(job: JobConfig): StepConfig {
  const plan: StepConfig = { kind: 'do', steps: job.plan };
  return JOB_HOOKS.reduce<StepConfig>((step, kind) => {
    const hook = job[kind];
    return hook === undefined ? step : { kind, step, hook };
  }, plan);
}

/** All gets and puts of a step, in the order written. Hooks come after their step. */
export function* resourceSteps(step: StepConfig): Generator<GetStep | PutStep> {
  switch (step.kind) {
    case 'get':
    case 'put':
      yield step;
      return;
    case 'task':
    case 'run':
    case 'set_pipeline':
    case 'load_var':
      return;
    case 'do':
    case 'in_parallel':
      for (const inner of step.steps) yield* resourceSteps(inner);
      return;
    case 'try':
    case 'across':
    case 'attempts':
    case 'timeout':
      yield* resourceSteps(step.step);
      return;
    case 'on_success':
    case 'on_failure':
    case 'on_abort':
    case 'on_error':
    case 'ensure':
      yield* resourceSteps(step.step);
      yield* resourceSteps(step.hook);
      return;
    default:
      assertNever(step);
  }
}
