import type { Json, JsonObject, Version } from '@seaplane/config';

/** A validated configuration of a pipeline, taken apart as far as the database asks about its parts. */
export interface PipelineToSave {
  /** As it is handed back by `readPipelineConfig`. */
  readonly config: JsonObject;
  readonly jobs: readonly JobToSave[];
  readonly resources: readonly ResourceToSave[];
  readonly resourceTypes: readonly TypeToSave[];
  readonly prototypes: readonly TypeToSave[];
  /** What everybody who sees the pipeline sees of its configuration: `groups`, `display`, `user_data`. */
  readonly shown: JsonObject;
}

export interface JobToSave {
  readonly name: string;
  readonly oldName?: string;
  readonly config: JsonObject;
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
  /** Names of its tasks: caches of others go. */
  readonly tasks: readonly string[];
}

export interface InputToSave {
  readonly name: string;
  readonly resource: string;
  /** Names of jobs, no patterns. */
  readonly passed: readonly string[];
  readonly trigger: boolean;
  /** As the step has it. */
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
