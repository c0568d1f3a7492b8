/**
 * Something that a page shows has changed. It names the place to look at, and never what is there. Each field is there
 * only if it applies.
 */
export interface LiveAnswer {
  /** Everything may have changed. This comes first on every connection, because changes may have been missed before. */
  readonly all?: true;
  /** Pipelines whose flags, jobs, builds, versions, pins or outcome of checks have changed, by id. */
  readonly pipelines?: readonly number[];
  /** The list of pipelines: one came, went, was renamed, moved, exposed or hidden. */
  readonly list?: true;
  /** Teams with a changed build that belongs to no job, by name. */
  readonly teams?: readonly string[];
  readonly workers?: true;
  readonly wall?: true;
}
