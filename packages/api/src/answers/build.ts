import type { PublicPlan } from '@seaplane/config/public-plan';
import type { JsonObject, Version } from '@seaplane/config/values';
import type { BuildStatus } from '@seaplane/engine/events';
import type { UnixSeconds } from './unix-seconds.ts';

/** A build (docs/concourse/fly-api.md, section 3.5). */
export interface BuildAnswer {
  readonly id: number;
  readonly team_name: string;
  /** `1`, `2`, `2.1` in a job; `check` for checks; a number for one-off builds. */
  readonly name: string;
  readonly status: BuildStatus;
  readonly api_url: string;
  /** Only for requesters who may see comments. */
  readonly comment?: string;
  readonly job_name?: string;
  /** The resource that the build checks. */
  readonly resource_name?: string;
  readonly pipeline_id?: number;
  readonly pipeline_name?: string;
  readonly pipeline_instance_vars?: JsonObject;
  readonly start_time?: UnixSeconds;
  readonly end_time?: UnixSeconds;
  /** When the events of the build were deleted. */
  readonly reap_time?: UnixSeconds;
  readonly rerun_number?: number;
  readonly rerun_of?: { readonly id: number; readonly name: string };
  readonly created_by?: string;
}

/** The shorter form of a build inside jobs and resources. */
export interface BuildSummaryAnswer {
  readonly id: number;
  readonly name: string;
  readonly status: BuildStatus;
  readonly team_name: string;
  /** 0 for a build without a pipeline. */
  readonly pipeline_id: number;
  /** Empty for a build without a pipeline. */
  readonly pipeline_name: string;
  readonly start_time?: UnixSeconds;
  readonly end_time?: UnixSeconds;
  readonly pipeline_instance_vars?: JsonObject;
  readonly job_name?: string;
}

export interface BuildPlanAnswer {
  readonly schema: 'exec.v2';
  readonly plan: PublicPlan;
}

/** The versions that a build got and put. */
export interface BuildResourcesAnswer {
  readonly inputs: readonly BuildInputAnswer[];
  readonly outputs: readonly BuildOutputAnswer[];
}

export interface BuildInputAnswer {
  readonly name: string;
  readonly version: Version;
  readonly pipeline_id: number;
  /** Whether no earlier build of the job had this version. */
  readonly first_occurrence: boolean;
}

export interface BuildOutputAnswer {
  readonly name: string;
  readonly version: Version;
}

export type Blocking = 'unknown' | 'blocking' | 'not_blocking';

/** Why a pending build has not started. */
export interface BuildPreparationAnswer {
  readonly build_id: number;
  readonly paused_pipeline: Blocking;
  readonly paused_job: Blocking;
  readonly max_running_builds: Blocking;
  /** By the name of the input. */
  readonly inputs: Readonly<Record<string, Blocking>>;
  readonly inputs_satisfied: Blocking;
  /** By the name of the input. */
  readonly missing_input_reasons: Readonly<Record<string, string>>;
}

/** An artifact that `fly execute` uploaded or may download. */
export interface ArtifactAnswer {
  readonly id: number;
  readonly name: string;
  /** 0 for an upload. */
  readonly build_id: number;
  readonly created_at: UnixSeconds;
}
