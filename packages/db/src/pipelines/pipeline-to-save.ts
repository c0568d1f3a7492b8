import type { BuildLogRetention, Json, JsonObject, Version } from '@seaplane/config';

/** A validated configuration of a pipeline, split into the parts that the database has columns for. */
export interface PipelineToSave {
  /** The whole configuration, which `readPipelineConfig` returns. */
  readonly config: JsonObject;
  readonly jobs: readonly JobToSave[];
  readonly resources: readonly ResourceToSave[];
  readonly resourceTypes: readonly TypeToSave[];
  readonly prototypes: readonly TypeToSave[];
  /** The part of the configuration that everybody who sees the pipeline sees: `groups`, `display`, `user_data`. */
  readonly shown: JsonObject;
}

export interface JobToSave {
  readonly name: string;
  readonly oldName?: string;
  /** Which logs of its builds are kept. Absent: all. */
  readonly logRetention?: BuildLogRetention;
  /** Names of the groups it is in. */
  readonly groups: readonly string[];
  readonly public: boolean;
  readonly interruptible: boolean;
  readonly disableManualTrigger: boolean;
  readonly disableReruns: boolean;
  /** 0: no limit. */
  readonly maxInFlight: number;
  /** Its own name, if it has a limit and no groups. */
  readonly serialGroups: readonly string[];
  /** Every get and put of its plan and hooks. */
  readonly inputs: readonly InputToSave[];
  readonly outputs: readonly { readonly name: string; readonly resource: string }[];
  /** Names of its tasks. Caches of other tasks are deleted. */
  readonly tasks: readonly string[];
}

export interface InputToSave {
  readonly name: string;
  readonly resource: string;
  /** Names of jobs, not patterns. */
  readonly passed: readonly string[];
  readonly trigger: boolean;
  /** The step's `version`, as written. */
  readonly version?: Json;
}

export interface ResourceToSave {
  readonly name: string;
  readonly oldName?: string;
  readonly type: string;
  readonly config: JsonObject;
  readonly public: boolean;
  /** The version it is pinned to by its configuration. */
  readonly pin?: Version;
}

export interface TypeToSave {
  readonly name: string;
  readonly type: string;
  readonly config: JsonObject;
}
