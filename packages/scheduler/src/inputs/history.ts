import type { Version } from '@seaplane/config';

/**
 * The questions about the past that input resolution asks. A version is named by its digest, within its resource.
 * Answered by SQL (`sql-history.ts`); in the resolver's tests by `testing/in-memory-history.ts`. Both pass the same
 * suite.
 */
export interface History {
  /** The newest version that is not disabled. */
  latest(resourceId: number): Promise<string | undefined>;
  /** The newest known version that contains these fields. */
  matching(resourceId: number, fields: Version): Promise<string | undefined>;
  /**
   * The oldest enabled version that is newer than all versions the job has used. If the job has used none, the latest.
   * If no version is newer, the newest enabled one up to the newest used.
   */
  nextUnused(
    jobId: number,
    resourceId: number,
  ): Promise<{ readonly digest: string; readonly hasNext: boolean } | undefined>;
  /** Whether a version is in the resource's history, and not disabled. */
  isUsable(resourceId: number, digest: string): Promise<boolean>;
  /** Whether a known version contains these fields. */
  contains(resourceId: number, digest: string, fields: Version): Promise<boolean>;
  /** Successful builds of a job, newest first. Each vouches for every version of `having`. */
  successfulBuilds(jobId: number, having: readonly VersionOfResource[]): AsyncIterable<VouchingBuild>;
  /**
   * The same for `version: every`. First come the builds that are newer than the last one a build of `forJob` came
   * from, oldest first. Then come the others, newest first.
   */
  unusedBuilds(jobId: number, forJob: number, having: readonly VersionOfResource[]): AsyncIterable<VouchingBuild>;
}

export interface VersionOfResource {
  readonly resourceId: number;
  readonly digest: string;
}

/** A successful build with the versions it vouches for, by resource: those it put, then those it got. */
export interface VouchingBuild {
  readonly id: number;
  readonly outputs: ReadonlyMap<number, readonly string[]>;
  /** Set on unused builds only: whether more unused builds follow. */
  readonly hasNext?: boolean;
}

/** An input of a job, as input resolution needs it. */
export interface ResolvableInput {
  readonly name: string;
  readonly resourceId: number;
  readonly trigger: boolean;
  /** Ids of jobs. Empty: the version comes straight from the resource. */
  readonly passed: readonly number[];
  readonly wanted: WantedVersion;
}

export type WantedVersion =
  | { readonly kind: 'latest' }
  | { readonly kind: 'every' }
  /** Pinned by the step, else by the pipeline's configuration, else by the API. */
  | { readonly kind: 'pinned'; readonly fields: Version };

/** The version an input gets, or the reason why it gets none. */
export type InputResolution =
  | { readonly digest: string; readonly passedBuilds: readonly number[] }
  | { readonly error: string };

export interface Resolution {
  readonly inputs: ReadonlyMap<string, InputResolution>;
  /** More versions of a `version: every` input wait: the job must be scheduled again at once. */
  readonly hasNext: boolean;
}
