import type { HijackRequest, HijackStream } from '../protocol/hijack.ts';
import type {
  ArtifactSource,
  ExitRecord,
  Health,
  ImageAnswer,
  RegistryImageAnswer,
  RegistryImageRequest,
  RunRequest,
  SignalRequest,
} from '../protocol/messages.ts';

/**
 * A client of one sandbox's sidecar or of one store. Every call signs its own request and ends when its signal is aborted.
 * A call to a server that does not answer is repeated for half a minute. Failures are `BaggageclaimError`s.
 */
export interface BaggageclaimClient {
  health(signal: AbortSignal): Promise<Health>;
  /** Resolves when the process has started, or has failed to start: then its exit record holds the reason. */
  run(request: RunRequest, signal: AbortSignal): Promise<void>;
  /**
   * The process's output from these offsets on, and last its exit record. Reconnects and continues at the same byte when
   * the connection breaks. Throws when the sidecar stays away, and when the record is of another attempt. `onAnswer` is
   * called whenever the sidecar begins an answer: a process may print nothing for hours.
   */
  output(
    process: { id: string; attempt: string },
    from: OutputPosition,
    signal: AbortSignal,
    onAnswer?: () => void,
  ): AsyncIterable<OutputItem>;
  signal(request: SignalRequest, signal: AbortSignal): Promise<void>;
  /** Deletes the output and the record of a process that has ended. Its id may be used again. Idempotent. */
  forget(id: string, signal: AbortSignal): Promise<void>;
  hijack(request: HijackRequest, signal: AbortSignal): Promise<HijackStream>;
  /** A tar stream of a directory. */
  readTree(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /**
   * One file below a directory; undefined when there is none. The token is for the directory. Throws `too-large` for a
   * file of more than `maxBytes`, without reading it to its end.
   */
  readFile(directory: string, file: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** The address and the token with which another sidecar or a store can pull this directory, and nothing else. */
  sourceOf(path: string): ArtifactSource[number];

  // The rest is for stores.
  /** Keeps an artifact for a team. Throws `too-large` or `full` when the store's limits do not allow that. */
  putArtifact(id: string, team: string, tar: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Does the same with what the store pulls from the sources. Aborting the signal ends the pull, unless others wait for it. */
  pullArtifact(id: string, team: string, from: ArtifactSource, signal: AbortSignal): Promise<void>;
  hasArtifact(id: string, signal: AbortSignal): Promise<boolean>;
  readArtifact(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** As `readFile`. */
  readArtifactFile(id: string, path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  artifactSource(id: string): ArtifactSource[number];
  listArtifacts(signal: AbortSignal): Promise<readonly string[]>;
  deleteArtifact(id: string, signal: AbortSignal): Promise<void>;
  /** Throws as `putArtifact` does: an image needs as much room as its artifact, again. */
  makeImage(artifactId: string, team: string, signal: AbortSignal): Promise<ImageAnswer>;
  /**
   * Makes an image of a registry one that the worker's sandboxes can run from. `onLine` gets lines for the build's log. Throws
   * `unavailable` if the worker can't, and `not-found` if its store is of a version that does not know how.
   */
  provideRegistryImage(
    request: RegistryImageRequest,
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<RegistryImageAnswer>;
}

export interface OutputPosition {
  readonly stdout: number;
  readonly stderr: number;
}

export type OutputItem =
  | { readonly kind: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly kind: 'exit'; readonly record: ExitRecord };
