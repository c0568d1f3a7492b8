/**
 * Every message between web, baggageclaim and the supervisor, in one file.
 *
 * web -> baggageclaim: HTTPS with JSON bodies, each request signed by web's key (see `Grant`); bulk bytes are tar
 * streams, output is a stream of frames, a hijacked process is a WebSocket.
 * baggageclaim -> supervisor: one unix socket in the volume both containers share; frames as in `FRAME`.
 * A pod of another protocol version than web's is not spoken to: the step errors and says so.
 */
export const PROTOCOL_VERSION = 1;
/** On every request and every answer: the version that is spoken. */
export const PROTOCOL_HEADER = 'Seaplane-Protocol';

/** Where the supervisor, the socket and the exit records are, in both containers: a small volume in memory. */
export const CONTROL_DIRECTORY = '/tmp/seaplane';
export const SUPERVISOR_PATH = `${CONTROL_DIRECTORY}/supervisor`;
/** In the sidecar's image: puts the supervisor in its place. Until it has, the step's own container must not start. */
export const INSTALL_SUPERVISOR = ['/supervisor', '--install', SUPERVISOR_PATH] as const;
/** baggageclaim listens here, since it starts first; the supervisor connects, again and again if need be. */
export const SUPERVISOR_SOCKET = `${CONTROL_DIRECTORY}/supervisor.sock`;
/** `ID.exit`: an `ExitRecord` as JSON, there when it is complete. */
export const RECORDS_DIRECTORY = `${CONTROL_DIRECTORY}/records`;
/** Where the step's files are: the same path in both containers, a volume on disk. */
export const BUILD_DIRECTORY = '/tmp/build';
/** `ID.stdout` and `ID.stderr`. Beside the step's directories, so part of no artifact. */
export const OUTPUT_DIRECTORY = `${BUILD_DIRECTORY}/.seaplane`;

export const SIDECAR_PORT = 7788;
/** The store's port that serves images to the kubelet and nothing else. */
export const IMAGE_PORT = 7789;

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

/** What a token that web signs lets its bearer do, where and until when. Sent as `Authorization: Bearer TOKEN`. */
export interface Grant {
  /** The sandbox or store it is for: a token for one is refused by every other. */
  readonly aud: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly scope: readonly GrantScope[];
}

export type GrantScope =
  /** Start, follow and signal the step's process. */
  | 'run'
  | 'hijack'
  /** Anything about artifacts and images, in a store. */
  | 'store'
  /** Read below one directory; what a pod is given to pull another pod's output. */
  | `read:${string}`;

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

/** GET /hijack, a WebSocket. The first message, then text messages both ways as Concourse's own API has them. */
export interface HijackRequest {
  readonly path: string;
  readonly args: readonly string[];
  /** Added to the environment of the step's process. */
  readonly env: readonly string[];
  readonly dir: string;
  readonly user: string;
  readonly tty: WindowSize | null;
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

/**
 * baggageclaim <-> supervisor, on the socket: a type byte, a 4-byte big-endian length, that many bytes, which are
 * NUL-terminated strings and what follows them. The first connection carries control; each hijacked process has one of
 * its own, so that a slow reader holds back only that process. The fields are in the supervisor's SPEC.md.
 */
export const FRAME = {
  /** To the supervisor, on the control connection: start a process, start a hijacked one, TERM or KILL, forget. */
  run: 1,
  hijack: 2,
  signal: 3,
  forget: 7,
  /** To the supervisor, on a hijacked process's own connection. */
  stdin: 4,
  closeStdin: 5,
  resize: 6,
  /** From the supervisor, first on every connection: what it is for, and on the control connection what it knows. */
  hello: 16,
  /** From the supervisor, of a hijacked process. */
  stdout: 17,
  stderr: 18,
  /** From the supervisor: an `ExitRecord` as JSON. */
  exit: 19,
  /** From the supervisor: it has this process, as an answer to `run`; or the process's output files have grown. */
  grown: 20,
} as const;
