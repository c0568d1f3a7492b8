/** The keys that say what a step is, in the order they are taken from it. Modifiers wrap what comes after them. */
export const MODIFIER_KEYS = [
  'ensure',
  'on_error',
  'on_abort',
  'on_failure',
  'on_success',
  'across',
  'attempts',
] as const;

/** These have a `timeout` of their own. On all others it is a modifier, the innermost. */
const CORE_WITH_TIMEOUT = ['run', 'task', 'put', 'get'] as const;
const OTHER_CORE = ['set_pipeline', 'load_var', 'try', 'do', 'in_parallel'] as const;

export type ModifierKey = (typeof MODIFIER_KEYS)[number] | 'timeout';
export type CoreKey = (typeof CORE_WITH_TIMEOUT)[number] | (typeof OTHER_CORE)[number];

export const STEP_KEYS: readonly (ModifierKey | CoreKey)[] = [
  ...MODIFIER_KEYS,
  ...CORE_WITH_TIMEOUT,
  'timeout',
  ...OTHER_CORE,
];

export interface StepShape {
  /** Outermost first. */
  readonly modifiers: readonly ModifierKey[];
  readonly core: CoreKey | undefined;
}

export function stepShape(step: object): StepShape {
  const has = (key: string) => Object.hasOwn(step, key);
  const modifiers: ModifierKey[] = MODIFIER_KEYS.filter(has);
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
