import type { Json, JsonObject } from '@seaplane/config/values';
import type { UnixSeconds } from './unix-seconds.ts';

/** A pipeline (docs/concourse/fly-api.md, section 3.3). */
export interface PipelineAnswer {
  readonly id: number;
  readonly name: string;
  readonly paused: boolean;
  readonly public: boolean;
  readonly archived: boolean;
  readonly team_name: string;
  readonly instance_vars?: JsonObject;
  readonly paused_by?: string;
  readonly paused_at?: UnixSeconds;
  /** As the configuration has them. */
  readonly groups?: Json;
  readonly display?: Json;
  readonly user_data?: Json;
  /** The build and the job whose `set_pipeline` step saved the pipeline. */
  readonly parent_build_id?: number;
  readonly parent_job_id?: number;
  readonly last_updated?: UnixSeconds;
}

/** A configuration as it was saved. Its version is in the header `X-Concourse-Config-Version`. */
export interface ConfigAnswer {
  readonly config: JsonObject;
}

/** What a change answers that was done, but is not quite right. */
export interface WarningsAnswer {
  readonly warnings?: readonly WarningAnswer[];
}

export interface WarningAnswer {
  readonly type: string;
  readonly message: string;
}
