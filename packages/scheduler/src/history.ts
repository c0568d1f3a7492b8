import type { Version } from '@seaplane/config';

/**
 * What input resolution asks of the past. A version is named by its digest, within its resource. Backed by SQL; in
 * memory in the resolver's tests.
 */
export interface History {
  /** The newest version that is not disabled. */
  latest(resourceId: number): Promise<string | undefined>;
  /** The newest known version that contains these fields. */
  matching(resourceId: number, fields: Version): Promise<string | undefined>;
  /**
   * The oldest enabled version newer than all that the job has used of this resource; the latest if it has used none;
   * the newest one it has used or older, if there is nothing newer.
   */
  nextUnused(
    jobId: number,
    resourceId: number,
  ): Promise<{ readonly digest: string; readonly hasNext: boolean } | undefined>;
  /** Whether a version is in the resource's history, and not disabled. */
  isUsable(resourceId: number, digest: string): Promise<boolean>;
  /** Whether a known version contains these fields. */
  contains(resourceId: number, digest: string, fields: Version): Promise<boolean>;
  /** Successful builds of a job, newest first, of which each vouches for all of `with`. */
  successfulBuilds(jobId: number, having: readonly ResourceVersion[]): AsyncIterable<VouchingBuild>;
  /**
   * The same, for `version: every`: first those that no build of `forJob` came from, oldest first and newer than the
   * last that one did; then the older ones, newest first.
   */
  unusedBuilds(jobId: number, forJob: number, having: readonly ResourceVersion[]): AsyncIterable<VouchingBuild>;
}

export interface ResourceVersion {
  readonly resourceId: number;
  readonly digest: string;
}

/** A successful build, and what it put and got: put versions before got ones. */
export interface VouchingBuild {
  readonly id: number;
  readonly outputs: ReadonlyMap<number, readonly string[]>;
  /** Of an unused one: whether more unused ones follow. */
  readonly hasNext?: boolean;
}

/** An input of a job, as resolution sees it. */
export interface ResolvableInput {
  readonly name: string;
  readonly resourceId: number;
  readonly trigger: boolean;
  /** Jobs by id; empty when anything new will do. */
  readonly passed: readonly number[];
  readonly wanted: WantedVersion;
}

export type WantedVersion =
  | { readonly kind: 'latest' }
  | { readonly kind: 'every' }
  /** By the step, the pipeline's configuration or the API, in this order. */
  | { readonly kind: 'pinned'; readonly fields: Version };

/** What an input gets, or why it gets nothing. */
export type InputResolution =
  | { readonly digest: string; readonly passedBuilds: readonly number[] }
  | { readonly error: string };

export interface Resolution {
  readonly inputs: ReadonlyMap<string, InputResolution>;
  /** A `version: every` input has more waiting: the job is to be looked at again at once. */
  readonly hasNext: boolean;
}
