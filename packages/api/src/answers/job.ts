import type { JsonObject, Version } from '@seaplane/config/values';
import type { BuildAnswer, BuildSummaryAnswer } from './build.ts';
import type { UnixSeconds } from './unix-seconds.ts';

/** What a job and its summary have in common (docs/concourse/fly-api.md, section 3.4). */
export interface JobHead {
  readonly id: number;
  readonly name: string;
  readonly team_name: string;
  readonly pipeline_id: number;
  readonly pipeline_name: string;
  readonly pipeline_instance_vars?: JsonObject;
  readonly paused?: boolean;
  readonly paused_by?: string;
  readonly paused_at?: UnixSeconds;
  readonly has_new_inputs?: boolean;
  readonly groups?: readonly string[];
  readonly outputs?: readonly JobOutputAnswer[];
}

export interface JobAnswer extends JobHead {
  readonly next_build: BuildAnswer | null;
  readonly finished_build: BuildAnswer | null;
  /** The build that last changed the job's status. */
  readonly transition_build?: BuildAnswer;
  readonly first_logged_build_id?: number;
  readonly disable_manual_trigger?: boolean;
  readonly disable_reruns?: boolean;
  readonly inputs?: readonly JobInputAnswer[];
}

/** The shorter form of a job in lists. */
export interface JobSummaryAnswer extends JobHead {
  readonly next_build?: BuildSummaryAnswer;
  readonly finished_build?: BuildSummaryAnswer;
  readonly transition_build?: BuildSummaryAnswer;
  readonly inputs?: readonly JobInputSummaryAnswer[];
}

export interface JobInputAnswer {
  readonly name: string;
  readonly resource: string;
  readonly trigger: boolean;
  readonly passed?: readonly string[];
}

export interface JobInputSummaryAnswer {
  readonly name: string;
  readonly resource: string;
  readonly trigger?: boolean;
  readonly passed?: readonly string[];
}

export interface JobOutputAnswer {
  readonly name: string;
  readonly resource: string;
}

/** An input of the job's next build, with the version it will get. `fly execute -j` runs with these. */
export interface NextInputAnswer {
  readonly name: string;
  readonly resource: string;
  readonly type: string;
  readonly source: JsonObject | null;
  readonly version: Version;
  readonly params?: JsonObject;
  readonly tags?: readonly string[];
}
