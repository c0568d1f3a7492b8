/**
 * The messages between web and baggageclaim: HTTPS with JSON bodies, each request signed by web's key (`grant.ts`). Bulk
 * bytes are tar streams, output is a stream of frames (`frames.ts`), and a hijacked process is a WebSocket
 * (`hijack.ts`). The messages between baggageclaim and the supervisor are apart: `server/supervisor/supervisor-frames.ts`.
 *
 * Web refuses to talk to a pod of another protocol version: the step errors and its error names both versions.
 */
export const PROTOCOL_VERSION = 2;
/** Carries the protocol version, on every request and every answer. */
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
  registryImage: '/registry-images',
} as const;

export interface Health {
  readonly protocol: number;
  readonly version: string;
  readonly handle: string;
  /** Whether the supervisor has connected, so that the step's own container runs. False in a store. */
  readonly supervisor: boolean;
  /** A store in a pod only: the address of this pod, and one of its port for images, which no hermetic step may reach. */
  readonly witness?: { readonly url: string; readonly open: string };
}

/**
 * POST /run. Loads the inputs, all at the same time, then starts the process. Idempotent by `id` and `attempt`: a repeated
 * request gets the same answer and starts nothing. Refused when the id is known with another attempt.
 */
export interface RunRequest {
  readonly id: string;
  /** Fences the exit record: web accepts only a record with the attempt it asked for. */
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
  /** Made before the process starts if they do not exist: outputs, caches, the working directory. */
  readonly directories: readonly string[];
}

export interface RunInput {
  /** Absolute; emptied first, then filled. */
  readonly path: string;
  readonly from: ArtifactSource;
  /** Nobody asks this server for the directory afterwards. So it may show a tree that its machine has, instead of a copy. */
  readonly mayShow?: boolean | undefined;
}

/** Places that serve the same artifact, tried in this order: the pod that made it, then the store. */
export type ArtifactSource = readonly {
  readonly url: string;
  /** Sent only to this server. */
  readonly token: string;
  readonly server: ServerIdentity;
}[];

/** The server that a client expects: one whose certificate has this name and is signed by this authority (PEM). */
export interface ServerIdentity {
  readonly name: string;
  readonly authority: string;
}

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * GET /output?id=ID&attempt=ATTEMPT&stdout=N&stderr=N. Answers with frames: the output from these offsets on, as it is
 * written, and last the exit record. `alive` frames are empty; they tell a quiet process from a dead connection.
 */
export const OUTPUT_FRAME = { stdout: 1, stderr: 2, exit: 3, alive: 4 } as const;

/** The only proof of how a step ended. The supervisor writes it once, and nobody changes it. */
export interface ExitRecord {
  readonly id: string;
  readonly attempt: string;
  readonly end: ProcessEnd;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMemoryBytes: number;
  /** The kernel killed a process of the sandbox while this one ran, because memory was short. 0: the sandbox has no limit. */
  readonly outOfMemory?: { readonly limitBytes: number };
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly status: number }
  | { readonly kind: 'signaled'; readonly signal: number }
  /**
   * The process was ended from outside: the host deleted the sandbox, or the output could not be kept. Its exit status after
   * that (0 on TERM, for example) does not count.
   */
  | { readonly kind: 'interrupted'; readonly message: string }
  /** The process never started: no such executable, user or directory, or an input that could not be loaded. */
  | { readonly kind: 'not-started'; readonly cause: NotStartedCause; readonly message: string };

export type NotStartedCause = 'executable' | 'user' | 'directory' | 'input' | 'system';

/** POST /signal. `stop` is TERM, then KILL after ten seconds; output is recorded throughout. `kill` is KILL. */
export interface SignalRequest {
  readonly id: string;
  readonly signal: 'stop' | 'kill';
}

/**
 * PUT /artifacts/ID in a store, with {@link StoreLimits} in the query. The body is a tar stream, or this JSON: then the
 * store pulls the artifact, until the last client that asked for it has left. Idempotent.
 */
export interface PullRequest {
  readonly from: ArtifactSource;
}

/** How much a store may keep for the team that asks. In the query of requests that make it keep something. */
export interface StoreLimits {
  /** Any name; the store only adds up what each team has. */
  readonly team: string;
  readonly artifactBytes: number;
  readonly teamBytes: number;
}

/**
 * The answer to PUT /images/ID, which makes an OCI image of a stored artifact (`rootfs/`, `metadata.json`), with
 * {@link StoreLimits} in the query. Idempotent.
 */
export interface ImageAnswer {
  /** The repository part of the image's name. Nobody can guess it: a NodePort is open to everyone who reaches a node. */
  readonly path: string;
  readonly digest: string;
  /** From the metadata.json, like `user`. */
  readonly env: readonly string[];
  readonly user: string;
}

/**
 * POST /registry-images in a store. The worker makes an image of a registry one that its sandboxes can run from: the machine pulls it,
 * or the store finds out that nodes can, and reads its configuration. Idempotent. The answer is a stream of
 * {@link RegistryImageMessage}s, one a line. The password is never written to disk.
 */
export interface RegistryImageRequest {
  /** As in the source of a registry-image resource, like all others: `ghcr.io/owner/name`. */
  readonly repository: string;
  readonly digest: string;
  readonly credentials?: RegistryCredentials | undefined;
  readonly insecure?: boolean | undefined;
  /** PEM. */
  readonly ca?: readonly string[] | undefined;
  /** Asked first for images of Docker Hub. */
  readonly mirror?: { readonly host: string; readonly credentials?: RegistryCredentials | undefined } | undefined;
}

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

export type RegistryImageMessage =
  /** For the build's log. */
  | { readonly line: string }
  | { readonly image: RegistryImageAnswer }
  /** The last one instead of an image. */
  | ErrorAnswer;

export interface RegistryImageAnswer {
  /** The image's name for the worker's host. */
  readonly reference: string;
  /** `NAME=value` each. */
  readonly env: readonly string[];
  readonly user: string;
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[];
  /** The worker had the image, or the store its description: nothing was fetched. */
  readonly cached?: boolean;
}

/** The body of every answer with a status of 400 or more. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

export type ErrorCode =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  /** An artifact is larger than a store keeps, or a file larger than its reader wants. */
  | 'too-large'
  /** A store has no room, or none for this team. */
  | 'full'
  | 'unavailable'
  /** The registry of an image does not answer, or only with errors. */
  | 'registry-silent'
  | 'internal';
