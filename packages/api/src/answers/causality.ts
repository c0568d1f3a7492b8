import type { Version } from '@seaplane/config/values';
import type { BuildStatus } from '@seaplane/engine/events';

/**
 * The builds and versions that a version led to (`downstream`), or that led to it (`upstream`). Downstream, a version has
 * the builds that got it, and a build has the versions that it put; upstream it is the other way round.
 */
export interface CausalityAnswer {
  readonly jobs: readonly CausalityJobAnswer[];
  readonly builds: readonly CausalityBuildAnswer[];
  readonly resources: readonly CausalityResourceAnswer[];
  readonly resource_versions: readonly CausalityVersionAnswer[];
}

export interface CausalityJobAnswer {
  readonly id: number;
  readonly name: string;
  readonly build_ids?: readonly number[];
}

export interface CausalityBuildAnswer {
  readonly id: number;
  readonly name: string;
  readonly job_id: number;
  readonly status: BuildStatus;
  readonly resource_version_ids?: readonly number[];
}

export interface CausalityResourceAnswer {
  readonly id: number;
  readonly name: string;
  readonly version_ids?: readonly number[];
}

export interface CausalityVersionAnswer {
  readonly id: number;
  readonly resource_id: number;
  readonly version: Version;
  readonly build_ids?: readonly number[];
}
