import type { Version } from '@seaplane/config';

/**
 * The questions about the past that input resolution asks. A version is named by its digest, within its resource.
 * Answered by SQL (`sql-history.ts`); in the resolver's tests by `testing/in-memory-history.ts`. Both pass the same
 * suite.
 */
export interface History {
  /** The newest version that is not disabled. */
  latest(resourceId: number): Promise<string | undefined>;
  /** The known version that is exactly these fields; without one, the newest known version that contains them. */
  matching(resourceId: number, fields: Version): Promise<string | undefined>;
  /**
   * The oldest enabled version that is newer than all versions the job has used. If the job has used none, the latest.
   * If no version is newer, the newest enabled one up to the newest used.
   */
  nextUnused(
    jobId: number,
    resourceId: number,
  ): Promise<{ readonly digest: string; readonly hasNext: boolean } | undefined>;
  /** Those of these versions that are in the resource's history, and not disabled. */
  usable(resourceId: number, digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether each of these jobs has a successful build. */
  haveSucceeded(jobIds: readonly number[]): Promise<boolean>;
  /**
   * The builds from which a `version: every` input with `passed` goes on. Of the job's builds that used the newest
   * version it has ever used, they are the newest upstream builds that those builds came from, by upstream job.
   * Undefined if the job has used no known version of the resource.
   */
  lastUsedBuilds(jobId: number, resourceId: number): Promise<ReadonlyMap<number, PlaceOfBuild> | undefined>;
  /** Successful builds of a job, newest first, in pages that grow. */
  successfulBuilds(jobId: number, filter: BuildFilter): AsyncIterable<readonly VouchingBuild[]>;
  /**
   * The same for `version: every`: first the builds that are newer than `after`, oldest first, then `after` and those
   * before it, newest first. Reruns of `after` are not newer, unless `after` is itself a rerun.
   */
  unusedBuilds(jobId: number, after: PlaceOfBuild, filter: BuildFilter): AsyncIterable<readonly VouchingBuild[]>;
}

/** Which successful builds can help. */
export interface BuildFilter {
  /** The build vouches for each of these. */
  readonly having: readonly VersionOfResource[];
  /** If the build has versions of these resources, its first version is this one. */
  readonly agreeing: readonly VersionOfResource[];
  /**
   * Each of these jobs has a successful build with one of the versions that the build has of the resource. The filter
   * may be ignored: it only spares the caller builds that lead nowhere.
   */
  readonly vouchedBy?: { readonly resourceId: number; readonly jobs: readonly number[] };
}

/** The place of a build among the builds of its job: a rerun stands after its original. */
export interface PlaceOfBuild {
  readonly id: number;
  readonly rerunOf: number | null;
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
