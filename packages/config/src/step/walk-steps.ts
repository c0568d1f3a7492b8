import { assertNever } from '../assert-never.ts';
import type { JobConfig } from '../pipeline/pipeline.ts';
import type {
  GetStep,
  HookKind,
  LoadVarStep,
  PutStep,
  RunStep,
  SetPipelineStep,
  StepConfig,
  TaskStep,
} from './step.ts';

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
  for (const leaf of leafSteps(step)) if (leaf.kind === 'get' || leaf.kind === 'put') yield leaf;
}

type LeafStep = GetStep | PutStep | TaskStep | RunStep | SetPipelineStep | LoadVarStep;

/** All steps within a step that have no steps of their own, in the order written. Hooks come after their step. */
export function* leafSteps(step: StepConfig): Generator<LeafStep> {
  switch (step.kind) {
    case 'get':
    case 'put':
    case 'task':
    case 'run':
    case 'set_pipeline':
    case 'load_var':
      yield step;
      return;
    case 'do':
    case 'in_parallel':
      for (const inner of step.steps) yield* leafSteps(inner);
      return;
    case 'try':
    case 'across':
    case 'attempts':
    case 'timeout':
      yield* leafSteps(step.step);
      return;
    case 'on_success':
    case 'on_failure':
    case 'on_abort':
    case 'on_error':
    case 'ensure':
      yield* leafSteps(step.step);
      yield* leafSteps(step.hook);
      return;
    default:
      assertNever(step);
  }
}
