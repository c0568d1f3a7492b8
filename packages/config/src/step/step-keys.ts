import type { StepConfig } from './step.ts';

/**
 * The keys that determine what a step is, in the order they are taken from it. A modifier wraps everything that comes
 * after it. Some core steps have a `timeout` of their own; on all others `timeout` is a modifier, the innermost one.
 */
const ROLES = {
  ensure: 'modifier',
  on_error: 'modifier',
  on_abort: 'modifier',
  on_failure: 'modifier',
  on_success: 'modifier',
  across: 'modifier',
  attempts: 'modifier',
  run: 'core with timeout',
  task: 'core with timeout',
  put: 'core with timeout',
  get: 'core with timeout',
  timeout: 'innermost modifier',
  set_pipeline: 'core',
  load_var: 'core',
  try: 'core',
  do: 'core',
  in_parallel: 'core',
} as const satisfies Record<StepConfig['kind'], Role>;

type Role = 'modifier' | 'innermost modifier' | 'core' | 'core with timeout';
type KeyOf<R extends Role> = { [K in StepConfig['kind']]: (typeof ROLES)[K] extends R ? K : never }[StepConfig['kind']];

export type ModifierKey = KeyOf<'modifier' | 'innermost modifier'>;
export type CoreKey = KeyOf<'core' | 'core with timeout'>;

export const STEP_KEYS = Object.keys(ROLES) as readonly StepConfig['kind'][];

const MODIFIERS = keysOf('modifier');
const CORE_WITH_TIMEOUT = keysOf('core with timeout');
const OTHER_CORE = keysOf('core');

function keysOf<R extends Role>(role: R): readonly KeyOf<R>[] {
  return STEP_KEYS.filter((key) => ROLES[key] === role) as readonly StepConfig['kind'][] as readonly KeyOf<R>[];
}

export interface StepShape {
  /** Outermost first. */
  readonly modifiers: readonly ModifierKey[];
  readonly core: CoreKey | undefined;
}

export function stepShape(step: object): StepShape {
  const has = (key: string) => Object.hasOwn(step, key);
  const modifiers: ModifierKey[] = MODIFIERS.filter(has);
  const withTimeout = CORE_WITH_TIMEOUT.find(has);
  if (withTimeout !== undefined) return { modifiers, core: withTimeout };
  if (has('timeout')) modifiers.push('timeout');
  return { modifiers, core: OTHER_CORE.find(has) };
}

/** The key of the modifier or core step that a field belongs to. */
export function ownerOfField(step: object, field: string): string {
  const { modifiers, core } = stepShape(step);
  if ((modifiers as readonly string[]).includes(field)) return field;
  if (field === 'fail_fast' && modifiers.includes('across')) return 'across';
  return core ?? field;
}
