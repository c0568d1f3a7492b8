import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { TreeSize } from '../trees/measure-tree.ts';

/**
 * Keeps artifacts: directory trees that outlive the sandboxes that made them. A target has one store, and it alone
 * writes to its place. Every implementation passes the suite in `testing/artifact-store-contract.ts`.
 *
 * An artifact has two states. _Absent_: `has` is false, `list` does not name it, reads reject with `not-found`. _Stored_:
 * the whole tree is there, and does not change. `put` makes it stored in one step when the last byte has been kept;
 * `delete` makes it absent. A process that is killed at any moment leaves each artifact in one of the two.
 *
 * Every method that takes an id rejects with `bad-request` when {@link requireArtifactId} does.
 */
export interface ArtifactStore {
  /**
   * Keeps the tree of a tar stream. An artifact that is stored already is not replaced, and the stream may stay unread.
   * Rejects and keeps nothing when the stream fails, with `bad-request` when it is not a whole tar archive. `accept` is
   * called with the size of the whole tree before that is kept; when it throws, nothing is kept and `put` rejects with that.
   */
  put(id: string, tar: ReadableStream<Uint8Array>, accept?: (size: TreeSize) => void): Promise<void>;
  /** The whole tree as a tar stream, made while it is read. Rejects with `not-found`. */
  get(id: string): Promise<ReadableStream<Uint8Array>>;
  /**
   * One regular file of at most 64 MiB. `path` is relative to the artifact; neither `..` nor a link leads out of it.
   * Rejects with `not-found` when there is no such artifact or file, and with `bad-request` when it is something else.
   */
  getFile(id: string, path: string): Promise<Uint8Array>;
  has(id: string): Promise<boolean>;
  /** Ids in alphabetical order. */
  list(): Promise<string[]>;
  /** Idempotent. */
  delete(id: string): Promise<void>;
  usage(): Promise<StoreUsage>;
  /**
   * A local directory that holds the tree, to be read and not changed. Only a store that has one at no cost offers this;
   * `withArtifactTree` unpacks the tar stream of any other. Rejects with `not-found`.
   */
  directoryOf?(id: string): Promise<string>;
}

export interface StoreUsage {
  readonly artifacts: number;
  /** The bytes that the store still has room for; undefined when nothing limits it, as in a bucket. */
  readonly freeBytes: number | undefined;
}

/** Throws `bad-request` for a text that is not an artifact's id. An id names one file or key: it holds no `/`. */
export function requireArtifactId(id: string): void {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,249}$/.test(id)) return;
  throw new BaggageclaimError('bad-request', `not an artifact's id: ${JSON.stringify(id.slice(0, 250))}`);
}

export function artifactNotFound(id: string): BaggageclaimError {
  return new BaggageclaimError('not-found', `the store has no artifact ${id}`);
}

export function notAnArchive(id: string, cause: Error): BaggageclaimError {
  return new BaggageclaimError('bad-request', `the artifact ${id} is not a whole archive: ${cause.message}`, { cause });
}
