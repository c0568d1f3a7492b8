/**
 * The messages between web and baggageclaim: HTTPS with JSON bodies, each request signed by web's key (`grant.ts`). Bulk
 * bytes are tar streams, output is a stream of frames (`frames.ts`), and a hijacked process is a WebSocket
 * (`hijack.ts`). The messages between baggageclaim and the supervisor are apart: `server/supervisor/supervisor-frames.ts`.
 *
 * Web refuses to talk to a pod of another protocol version: the step errors and its error names both versions.
 */
export const PROTOCOL_VERSION = 1;
/** On every request and every answer: the version that is spoken. */
export const PROTOCOL_HEADER = 'Seaplane-Protocol';

export const ROUTES = {
  health: '/health',
  run: '/run',
  output: '/output',
  signal: '/signal',
  hijack: '/hijack',
  tree: '/tree',
  file: '/file',
  artifact: '/artifacts',
  image: '/images',
} as const;

export interface Health {
  readonly protocol: number;
  readonly version: string;
  readonly handle: string;
  /** Whether the supervisor has connected, i.e. the step's own container runs. */
  readonly supervisor: boolean;
}

/**
 * POST /run. Loads the inputs, all at once, then starts the process. Idempotent by `id` and `attempt`: asked again, it
 * answers the same and starts nothing. Refused when the id is known with another attempt.
 */
export interface RunRequest {
  readonly id: string;
  /** Fences the exit record: web believes only one that carries the attempt it asked for. */
  readonly attempt: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly dir: string;
  /** A name or uid (`name`, `1000`, `1000:1000`), looked up in the step's image. Empty is root. */
  readonly user: string;
  readonly tty: WindowSize | null;
  /** Given to the process, then closed. Never written to disk. */
  readonly stdin: string;
  readonly inputs: readonly RunInput[];
  /** Made before the process starts, if they are not there: outputs, caches, the working directory. */
  readonly directories: readonly string[];
}

export interface RunInput {
  /** Absolute; emptied first, then filled. */
  readonly path: string;
  readonly from: ArtifactSource;
}

/** Tried in order: the pod that made it, then the store. */
export type ArtifactSource = readonly { readonly url: string; readonly token: string }[];

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * GET /output?id=ID&attempt=ATTEMPT&stdout=N&stderr=N. From those offsets on, as it is written; ends after the exit record. Each frame
 * is a type byte, a 4-byte big-endian length and that many bytes. `alive` says only that the connection is.
 */
export const OUTPUT_FRAME = { stdout: 1, stderr: 2, exit: 3, alive: 4 } as const;

/** The one proof of how a step ended. Written once, by the supervisor, and never changed. */
export interface ExitRecord {
  readonly id: string;
  readonly attempt: string;
  readonly end: ProcessEnd;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMemoryBytes: number;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly status: number }
  | { readonly kind: 'signaled'; readonly signal: number }
  /**
   * Ended from outside, by the host taking the sandbox down or because its output could not be kept. Whatever it did
   * after that (exit 0 on TERM, say) is no result.
   */
  | { readonly kind: 'interrupted'; readonly message: string }
  /** It never started: no such executable, user or directory, or an input that could not be loaded. */
  | { readonly kind: 'not-started'; readonly cause: NotStartedCause; readonly message: string };

export type NotStartedCause = 'executable' | 'user' | 'directory' | 'input' | 'system';

/** POST /signal. `stop` is TERM, then KILL after ten seconds; what the process says meanwhile is output as ever. */
export interface SignalRequest {
  readonly id: string;
  readonly signal: 'stop' | 'kill';
}

/** PUT /artifacts/ID in a store: the body is a tar stream, or, with this JSON, the store pulls it. Idempotent. */
export interface PullRequest {
  readonly from: ArtifactSource;
}

/** PUT /images/ID: makes an OCI image of a stored artifact (`rootfs/` and `metadata.json`). Idempotent. */
export interface ImageAnswer {
  /** The repository part of its name: unguessable, since a NodePort is open to whoever reaches a node. */
  readonly path: string;
  readonly digest: string;
  /** As its metadata.json says. */
  readonly env: readonly string[];
  readonly user: string;
}

/** What a request that is refused or fails is answered with. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

export type ErrorCode =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'unavailable'
  | 'internal';
