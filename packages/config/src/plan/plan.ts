import type { TaskConfig } from '../task/task-config.ts';
import type { ContainerLimits, Json, JsonObject, Version } from '../values.ts';

/**
 * A build's plan: the tree of steps it runs, each with an id. The JSON is Concourse's own (atc/plan.go), because
 * `fly execute` sends one. Exactly one of the step keys is set.
 */
export type Plan = PlanHead & PlanBody;

interface PlanHead {
  readonly id: string;
  /** Which attempt of each enclosing retry this is, outermost first. */
  readonly attempts?: readonly number[];
}

export type PlanBody =
  | { readonly get: GetPlan }
  | { readonly put: PutPlan }
  | { readonly check: CheckPlan }
  | { readonly task: TaskPlan }
  | { readonly run: RunPlan }
  | { readonly set_pipeline: SetPipelinePlan }
  | { readonly load_var: LoadVarPlan }
  | { readonly do: readonly Plan[] }
  | { readonly in_parallel: InParallelPlan }
  | { readonly across: AcrossPlan }
  | { readonly on_success: { readonly step: Plan; readonly on_success: Plan } }
  | { readonly on_failure: { readonly step: Plan; readonly on_failure: Plan } }
  | { readonly on_abort: { readonly step: Plan; readonly on_abort: Plan } }
  | { readonly on_error: { readonly step: Plan; readonly on_error: Plan } }
  | { readonly ensure: { readonly step: Plan; readonly ensure: Plan } }
  | { readonly try: { readonly step: Plan } }
  | { readonly timeout: { readonly step: Plan; readonly duration: string } }
  | { readonly retry: readonly Plan[] }
  | { readonly artifact_input: ArtifactInputPlan }
  | { readonly artifact_output: { readonly name: string } };

/** The source of the image for a resource's scripts: a base type, or the check and get of a custom type. */
export interface TypeImage {
  readonly check_plan?: Plan;
  readonly get_plan?: Plan;
  readonly base_type?: string;
  readonly privileged?: boolean;
}

export interface GetPlan {
  readonly name?: string;
  readonly type: string;
  readonly source: JsonObject;
  readonly image: TypeImage;
  readonly version?: Version;
  /** The id of the plan of the put or check that yields the version. */
  readonly version_from?: string;
  readonly params?: JsonObject;
  readonly resource?: string;
  readonly tags?: readonly string[];
  readonly timeout?: string;
}

export interface PutPlan {
  readonly name: string;
  readonly type: string;
  readonly source: JsonObject;
  readonly image: TypeImage;
  readonly params?: JsonObject;
  /** `all`, `detect` (the default) or names. */
  readonly inputs?: 'all' | 'detect' | readonly string[];
  readonly resource?: string;
  readonly tags?: readonly string[];
  readonly timeout?: string;
  readonly expose_build_created_by?: boolean;
}

export interface CheckPlan {
  readonly name: string;
  readonly type: string;
  readonly source: JsonObject;
  readonly image: TypeImage;
  readonly from_version?: Version;
  readonly resource?: string;
  readonly resource_type?: string;
  readonly prototype?: string;
  /** A Go duration, or `never`. */
  readonly interval?: string;
  readonly skip_interval?: boolean;
  readonly timeout?: string;
  readonly tags?: readonly string[];
}

export interface TaskPlan {
  readonly name: string;
  readonly privileged: boolean;
  readonly hermetic?: boolean;
  readonly tags?: readonly string[];
  readonly config_path?: string;
  readonly config?: TaskConfig;
  readonly container_limits?: ContainerLimits;
  readonly image?: string;
  readonly vars?: JsonObject;
  readonly params?: Readonly<Record<string, string>>;
  readonly input_mapping?: Readonly<Record<string, string>>;
  readonly output_mapping?: Readonly<Record<string, string>>;
  readonly timeout?: string;
  readonly resource_types?: readonly ResourceTypeConfig[];
  readonly check_skip_interval?: boolean;
}

export interface ResourceTypeConfig {
  readonly name: string;
  readonly type: string;
  readonly source: JsonObject;
  readonly defaults?: JsonObject;
  readonly privileged?: boolean;
  readonly check_every?: string;
  readonly tags?: readonly string[];
  readonly params?: JsonObject;
}

export interface RunPlan {
  readonly message: string;
  readonly type: string;
  readonly object?: JsonObject;
  readonly privileged: boolean;
  readonly tags?: readonly string[];
  readonly container_limits?: ContainerLimits;
  readonly timeout?: string;
}

export interface SetPipelinePlan {
  readonly name: string;
  readonly file: string;
  readonly team?: string;
  readonly vars?: JsonObject;
  readonly var_files?: readonly string[];
  readonly instance_vars?: JsonObject;
}

export interface LoadVarPlan {
  readonly name: string;
  readonly file: string;
  readonly format?: string;
  readonly reveal?: boolean;
}

export interface InParallelPlan {
  readonly steps: readonly Plan[];
  readonly limit?: number;
  readonly fail_fast?: boolean;
}

export interface AcrossPlan {
  readonly vars: readonly {
    readonly name: string;
    readonly values?: Json;
    readonly max_in_flight?: number | 'all';
  }[];
  /** The JSON text of the sub-step's plan, with its variables as written. */
  readonly substep_template: string;
  readonly fail_fast?: boolean;
}

export interface ArtifactInputPlan {
  readonly artifact_id: number;
  readonly name: string;
}
