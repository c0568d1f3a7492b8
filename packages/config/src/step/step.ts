import type { TaskConfig } from '../task/task-config.ts';
import type { ContainerLimits, Json, JsonObject, Version } from '../values.ts';

/**
 * A step as a tree: a modifier such as `ensure` or `attempts` is a step around the one it was written on, outermost
 * first (SPEC.md, CFG-STEP1). A field is absent when it was empty, where Concourse leaves it out of its JSON.
 */
export type StepConfig =
  | GetStep
  | PutStep
  | TaskStep
  | RunStep
  | SetPipelineStep
  | LoadVarStep
  | TryStep
  | DoStep
  | InParallelStep
  | AcrossStep
  | AttemptsStep
  | TimeoutStep
  | HookStep;

export interface GetStep {
  readonly kind: 'get';
  readonly name: string;
  /** The name of the resource, if it differs from the step's name. */
  readonly resource?: string;
  readonly version?: VersionChoice;
  readonly params?: JsonObject;
  /** Job names or patterns, as written. */
  readonly passed?: readonly string[];
  readonly trigger?: boolean;
  readonly tags?: readonly string[];
  readonly timeout?: string;
}

/** `''` stands for any other text, which has no effect. */
export type VersionChoice = 'latest' | 'every' | '' | Version;

export interface PutStep {
  readonly kind: 'put';
  readonly name: string;
  readonly resource?: string;
  readonly params?: JsonObject;
  readonly inputs?: PutInputs;
  readonly tags?: readonly string[];
  readonly get_params?: JsonObject;
  readonly timeout?: string;
  readonly no_get?: boolean;
}

/** `''` stands for any other text, which means no inputs. */
export type PutInputs = 'all' | 'detect' | '' | readonly string[];

export interface TaskStep {
  readonly kind: 'task';
  readonly name: string;
  readonly privileged?: boolean;
  readonly hermetic?: boolean;
  readonly file?: string;
  readonly container_limits?: ContainerLimits;
  readonly config?: TaskConfig;
  readonly params?: Readonly<Record<string, string>>;
  readonly vars?: JsonObject;
  readonly tags?: readonly string[];
  readonly input_mapping?: Readonly<Record<string, string>>;
  readonly output_mapping?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly timeout?: string;
}

export interface RunStep {
  readonly kind: 'run';
  readonly message: string;
  readonly type: string;
  readonly params?: JsonObject;
  readonly privileged?: boolean;
  readonly tags?: readonly string[];
  readonly container_limits?: ContainerLimits;
  readonly timeout?: string;
}

export interface SetPipelineStep {
  readonly kind: 'set_pipeline';
  readonly name: string;
  readonly file?: string;
  readonly team?: string;
  readonly vars?: JsonObject;
  readonly var_files?: readonly string[];
  readonly instance_vars?: JsonObject;
}

export interface LoadVarStep {
  readonly kind: 'load_var';
  readonly name: string;
  readonly file?: string;
  readonly format?: string;
  readonly reveal?: boolean;
}

export interface TryStep {
  readonly kind: 'try';
  readonly step: StepConfig;
}

export interface DoStep {
  readonly kind: 'do';
  readonly steps: readonly StepConfig[];
  readonly tags?: readonly string[];
}

export interface InParallelStep {
  readonly kind: 'in_parallel';
  readonly steps: readonly StepConfig[];
  readonly limit?: number;
  readonly fail_fast?: boolean;
  readonly tags?: readonly string[];
}

export interface AcrossStep {
  readonly kind: 'across';
  readonly vars: readonly AcrossVar[];
  readonly fail_fast?: boolean;
  readonly step: StepConfig;
}

export interface AcrossVar {
  readonly var: string;
  readonly values?: Json;
  readonly max_in_flight?: number | 'all';
}

export interface AttemptsStep {
  readonly kind: 'attempts';
  readonly attempts: number;
  readonly step: StepConfig;
}

export interface TimeoutStep {
  readonly kind: 'timeout';
  readonly duration: string;
  readonly step: StepConfig;
}

export interface HookStep {
  readonly kind: HookKind;
  readonly step: StepConfig;
  readonly hook: StepConfig;
}

export type HookKind = 'on_success' | 'on_failure' | 'on_abort' | 'on_error' | 'ensure';

/** The name of the resource of a get or put. */
export function resourceOf(step: GetStep | PutStep): string {
  return step.resource ?? step.name;
}
