import type { BuildPlanAnswer } from '@seaplane/api/answers';
import type { MetadataField, Version } from '@seaplane/config/values';
import { LogCooker } from './log/log-cooker.ts';

type PublicPlan = BuildPlanAnswer['plan'];

export type StepState =
  | 'pending'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'errored'
  /** It ran when the build ended. */
  | 'interrupted'
  /** The build ended without it. */
  | 'skipped';

/** A step that does something itself. It changes as events arrive. */
export interface LeafStep {
  readonly kind: 'leaf';
  readonly id: string;
  /** `get`, `task` and so on. */
  readonly type: string;
  readonly name: string;
  /** The resource that a get or put is about. Its name may differ from the step's. */
  readonly resource?: string;
  readonly log: LogCooker;
  state: StepState;
  initializedAt?: number;
  /** No worker was free for it. It may have got one since. */
  hasWaited?: boolean;
  /** When its worker was chosen. */
  workerAt?: number;
  startedAt?: number;
  finishedAt?: number;
  exitStatus?: number;
  version?: Version;
  metadata?: readonly MetadataField[];
  worker?: string;
  /** A new pipeline configuration was set. */
  hasChanged?: boolean;
  readonly errors: string[];
  /** The steps that fetched its image. */
  readonly image: Step[];
}

/** Steps that belong together. Without a label they stand where the group stands. */
export interface GroupStep {
  readonly kind: 'group';
  readonly id: string;
  readonly label: string | undefined;
  readonly children: Step[];
  readonly errors: string[];
}

export type Step = LeafStep | GroupStep;

const HOOKS = {
  on_success: 'on success',
  on_failure: 'on failure',
  on_error: 'on error',
  on_abort: 'on abort',
  ensure: 'ensure',
} as const;

/** The steps of a plan, and an index of them by the ids that events name. */
export function stepsOf(plan: PublicPlan, index: Map<string, Step>): Step {
  const step = makeStep(plan, index);
  index.set(plan.id, step);
  return step;
}

function makeStep(plan: PublicPlan, index: Map<string, Step>): Step {
  const group = (label: string | undefined, plans: readonly PublicPlan[]): GroupStep => ({
    kind: 'group',
    id: plan.id,
    label,
    children: plans.map((each) => stepsOf(each, index)),
    errors: [],
  });
  if ('do' in plan) return group(undefined, plan.do);
  if ('in_parallel' in plan) return group('in parallel', plan.in_parallel.steps);
  if ('across' in plan) return group(`across ${plan.across.vars.map(({ name }) => name).join(', ')}`, []);
  if ('try' in plan) return group('try', [plan.try.step]);
  if ('timeout' in plan) return group(`timeout after ${plan.timeout.duration}`, [plan.timeout.step]);
  if ('retry' in plan) {
    const attempts = plan.retry.map((each, i) => labelled(`attempt ${i + 1} of ${plan.retry.length}`, each, index));
    return { ...group(undefined, []), children: attempts };
  }
  for (const hook of Object.keys(HOOKS) as (keyof typeof HOOKS)[]) {
    if (!(hook in plan)) continue;
    const { step, [hook]: after } = (plan as Record<string, unknown>)[hook] as Record<string, PublicPlan>;
    if (!step || !after) continue;
    return {
      ...group(undefined, []),
      children: [stepsOf(step, index), labelled(labelOf(hook, step, after), after, index)],
    };
  }
  return leaf(plan);
}

/** After a put comes a get of the new version, which the plan has as a hook and nobody wrote as one. */
function labelOf(hook: keyof typeof HOOKS, step: PublicPlan, after: PublicPlan): string {
  const isOfPut = 'put' in step && 'get' in after && after.get.name === step.put.name;
  return hook === 'on_success' && isOfPut ? 'then gets it' : HOOKS[hook];
}

function labelled(label: string, plan: PublicPlan, index: Map<string, Step>): GroupStep {
  return { kind: 'group', id: `${plan.id}/${label}`, label, children: [stepsOf(plan, index)], errors: [] };
}

const LEAVES = ['get', 'put', 'check', 'task', 'run', 'set_pipeline', 'load_var', 'artifact_input', 'artifact_output'];

interface Body {
  readonly name?: string;
  readonly message?: string;
  readonly resource?: string;
}

function leaf(plan: PublicPlan): LeafStep {
  const type = LEAVES.find((each) => each in plan) ?? 'step';
  const body = (plan as unknown as Record<string, Body>)[type];
  const name = body?.name ?? body?.message ?? '';
  const step = { kind: 'leaf', id: plan.id, type, name, log: new LogCooker(), state: 'pending' } as const;
  return { ...step, errors: [], image: [], ...(body?.resource !== undefined && { resource: body.resource }) };
}

/** Every step that does something, in the order of the page. */
export function leavesOf(step: Step): readonly LeafStep[] {
  return step.kind === 'leaf' ? [...step.image.flatMap(leavesOf), step] : step.children.flatMap(leavesOf);
}
