import type { HijackRequest, HijackStream } from '../protocol/hijack.ts';
import type {
  ArtifactSource,
  ExitRecord,
  Health,
  ImageAnswer,
  RunRequest,
  SignalRequest,
} from '../protocol/messages.ts';

/**
 * What web can ask of a sandbox's sidecar or of a store. Every call signs its own request; each waits at most for its
 * signal. A server that is away for a moment is asked again; what fails is a `BaggageclaimError`.
 */
export interface BaggageclaimClient {
  health(signal: AbortSignal): Promise<Health>;
  /** Resolves when the process has been started, or has failed to start: its exit record says so. */
  run(request: RunRequest, signal: AbortSignal): Promise<void>;
  /**
   * The process's output from these offsets on, then its exit record, and the end. Dials again and goes on where it
   * was when the connection breaks; throws when the sidecar stays away or the record is of another attempt.
   */
  output(
    process: { id: string; attempt: string },
    from: OutputPosition,
    signal: AbortSignal,
  ): AsyncIterable<OutputItem>;
  signal(request: SignalRequest, signal: AbortSignal): Promise<void>;
  /** Lets the sandbox delete what it holds of a process that has ended; its id may be used again. Idempotent. */
  forget(id: string, signal: AbortSignal): Promise<void>;
  hijack(request: HijackRequest, signal: AbortSignal): Promise<HijackStream>;
  /** A tar stream of a directory. */
  readTree(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** One file; undefined when there is none. */
  readFile(path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** What another sidecar or a store needs to pull a directory from here: an address and a token good for just that. */
  sourceOf(path: string): ArtifactSource[number];

  // Of a store:
  putArtifact(id: string, tar: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>;
  pullArtifact(id: string, from: ArtifactSource, signal: AbortSignal): Promise<void>;
  hasArtifact(id: string, signal: AbortSignal): Promise<boolean>;
  readArtifact(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  readArtifactFile(id: string, path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  artifactSource(id: string): ArtifactSource[number];
  listArtifacts(signal: AbortSignal): Promise<readonly string[]>;
  deleteArtifact(id: string, signal: AbortSignal): Promise<void>;
  makeImage(artifactId: string, signal: AbortSignal): Promise<ImageAnswer>;
}

export interface OutputPosition {
  readonly stdout: number;
  readonly stderr: number;
}

export type OutputItem =
  | { readonly kind: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly kind: 'exit'; readonly record: ExitRecord };
