import type { ResourceTypeConfig } from '../plan/plan.ts';
import type { StepConfig } from '../step/step.ts';
import type { Json, JsonObject, Version } from '../values.ts';

/**
 * A pipeline's configuration after parsing. Field names are those of Concourse's JSON. An optional field is absent
 * when it was empty.
 */
export interface PipelineConfig {
  readonly groups: readonly GroupConfig[];
  readonly var_sources: readonly VarSourceConfig[];
  readonly resources: readonly ResourceConfig[];
  readonly resource_types: readonly ResourceType[];
  readonly prototypes: readonly ResourceType[];
  readonly jobs: readonly JobConfig[];
  readonly display?: DisplayConfig;
  readonly user_data?: Json;
}

export interface GroupConfig {
  readonly name: string;
  /** Job names or patterns, as written. */
  readonly jobs?: readonly string[];
  readonly resources?: readonly string[];
}

export interface VarSourceConfig {
  readonly name: string;
  readonly type: string;
  /** Absent is null. */
  readonly config?: Json;
}

export interface ResourceConfig {
  readonly name: string;
  readonly old_name?: string;
  readonly public?: boolean;
  readonly webhook_token?: string;
  readonly type: string;
  /** Null when it was not written. To `fly` that differs from an empty one. */
  readonly source: JsonObject | null;
  readonly check_every?: CheckEvery;
  readonly check_timeout?: string;
  readonly tags?: readonly string[];
  readonly version?: Version;
  readonly icon?: string;
  readonly expose_build_created_by?: boolean;
}

/** `never`, a duration in Go's own form (`1m0s`), or `''` for the default. */
export type CheckEvery = string;

/** A resource type or a prototype. */
export type ResourceType = Omit<ResourceTypeConfig, 'source'> & { readonly source: JsonObject | null };

export interface JobConfig {
  readonly name: string;
  readonly old_name?: string;
  readonly public?: boolean;
  readonly disable_manual_trigger?: boolean;
  readonly disable_reruns?: boolean;
  readonly serial?: boolean;
  readonly interruptible?: boolean;
  readonly serial_groups?: readonly string[];
  readonly max_in_flight?: number;
  readonly build_logs_to_retain?: number;
  readonly build_log_retention?: BuildLogRetention;
  readonly tags?: readonly string[];
  readonly on_success?: StepConfig;
  readonly on_failure?: StepConfig;
  readonly on_abort?: StepConfig;
  readonly on_error?: StepConfig;
  readonly ensure?: StepConfig;
  readonly plan: readonly StepConfig[];
}

export interface BuildLogRetention {
  readonly builds?: number;
  readonly minimum_succeeded_builds?: number;
  readonly days?: number;
}

export interface DisplayConfig {
  readonly background_image?: string;
  readonly background_filter?: string;
}

export interface ConfigWarning {
  readonly type: 'invalid_identifier' | 'deprecated_field' | 'pipeline' | 'var_shadowed';
  readonly message: string;
}
