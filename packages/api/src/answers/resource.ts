import type { Json, JsonObject, MetadataField, Version } from '@seaplane/config/values';
import type { BuildSummaryAnswer } from './build.ts';
import type { UnixSeconds } from './unix-seconds.ts';

/** A resource (docs/concourse/fly-api.md, section 3.6). */
export interface ResourceAnswer {
  readonly name: string;
  readonly pipeline_id: number;
  readonly pipeline_name: string;
  readonly team_name: string;
  readonly type: string;
  readonly pipeline_instance_vars?: JsonObject;
  readonly last_checked?: UnixSeconds;
  /** As the configuration has it: the name of an icon. */
  readonly icon?: Json;
  readonly pinned_version?: Version;
  readonly pinned_in_config?: boolean;
  readonly pin_comment?: string;
  /** The last check of the resource. */
  readonly build?: BuildSummaryAnswer;
}

/** A resource type as the configuration has it; only the team sees its source, params and defaults. */
export type ResourceTypeAnswer = JsonObject;

export interface VersionAnswer {
  readonly id: number;
  readonly version: Version;
  readonly enabled: boolean;
  /** Only for requesters who may see metadata. */
  readonly metadata?: readonly MetadataField[];
}

export interface ClearedVersionsAnswer {
  readonly versions_removed: number;
}

export interface ClearedCachesAnswer {
  readonly caches_removed: number;
}

/** The resources and resource types that share one history of versions. */
export interface SharedAnswer {
  readonly resources: readonly SharedNameAnswer[];
  readonly resource_types: readonly SharedNameAnswer[];
}

export interface SharedNameAnswer {
  readonly name: string;
  readonly pipeline_name: string;
  readonly team_name: string;
}
