import type {
  BaseTypeDefaults,
  CheckIntervals,
  CheckPlan,
  ContainerLimits,
  Json,
  JsonObject,
  MetadataField,
  PutPlan,
  VarReference,
  Version,
  YamlParser,
} from '@seaplane/config';
import type { BuildEvent, FinalStatus } from './events.ts';

// Everything the engine needs of the outside. The engine itself does no I/O. An error thrown by a seam is an error of
// the step that called it, except `Drained`: that ends the walk, and a later walk calls again. So `Drained` is for
// trouble that passes by itself, such as a database that is away.

export interface Clock {
  /** The time of day. Somebody may set it, so two of these are not a duration. */
  now(): Date;
  /** Milliseconds since some moment. Measures durations: whoever sets the machine's clock does not move it. */
  elapsedMs(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * The durable record of a build. Each time a web takes the build over, the engine walks the plan from the top, and the
 * journal makes that walk end where the last one did: a finished step does not run again, a running process is attached
 * to, and no event is written twice.
 */
export interface Journal {
  /** Undefined: nothing is recorded under the key. */
  read(key: JournalKey): Promise<JsonObject | undefined>;
  /**
   * Records a value once. The first value is kept, and every call returns it. Values are as secret as the plan: those
   * of load_var are among them.
   */
  record(key: JournalKey, value: JsonObject): Promise<JsonObject>;
  /**
   * Appends an event once: a second event with the same key is dropped. A process's output has no keys; see
   * `appendLog`.
   */
  emit(key: string, event: BuildEvent): Promise<void>;
  /** Appends log events and moves the step's position past their bytes: both or neither. */
  appendLog(planId: string, events: readonly BuildEvent[], position: LogPosition): Promise<void>;
  logPosition(planId: string): Promise<LogPosition>;
  /** Milliseconds since 1970, by one clock for all webs: their own clocks may differ, and a deadline must not. */
  now(): Promise<number>;
}

/**
 * A plan, and which of its facts. Each fact has one writer:
 *
 * - `started`: when the step first began. The start of a `timeout` is by the journal's clock.
 * - `sandbox`: which worker was chosen for the step's process, and when, by the journal's clock, if the step has a timeout.
 * - `result`: how a leaf ended.
 * - `task-file`: the text of the file with a task's configuration.
 * - `entry-point`: the command of a task's image, if the task names none.
 * - `pipeline-set`: the answer of {@link Pipelines.setPipeline}, written with the pipeline itself.
 * - `timed-out`: whether the deadline of a `timeout` passed before its step ended.
 * - `across-values`: the values of the variables of an `across`.
 * - `failed-fast`: a member of a group with fail_fast has failed.
 * - `aborted-before-hook`: the build was aborted after the step of an `ensure` and before its hook.
 */
export interface JournalKey {
  readonly planId: string;
  readonly what:
    | 'started'
    | 'sandbox'
    | 'result'
    | 'task-file'
    | 'entry-point'
    | 'pipeline-set'
    | 'timed-out'
    | 'across-values'
    | 'failed-fast'
    | 'aborted-before-hook';
}

/** How many bytes of each stream of a process are in the build's events. */
export interface LogPosition {
  readonly stdout: number;
  readonly stderr: number;
}

/** A directory that one step made and others may use. The orchestrator keeps it; the engine only passes the id on. */
export interface ArtifactRef {
  readonly id: string;
}

/** The identity of a step's process: enough to name its sandbox, label it and find it again. */
export interface StepIdentity {
  readonly buildId: number;
  readonly planId: string;
  /** `1`, or `2.1` within nested retries. Empty outside of a retry. */
  readonly attempt: string;
  readonly stepName: string;
  /** How often the step was run again because it had lost its sandbox. Absent: 0. */
  readonly rerun?: number;
}

export interface StepIo {
  readonly identity: StepIdentity;
  /**
   * The reason says what to do with a running process. `Interruption`: end the process, write its last output, then
   * throw the reason. `Drained`: leave the process alone, because another web will attach to it, and throw the reason
   * at once. If the signal is aborted from the start, the same holds, and nothing is started.
   */
  readonly signal: AbortSignal;
  /** Takes the output of the process. */
  readonly output: OutputSink;
  /** Reports the progress of a step that gets ready. */
  readonly notice: (notice: StepNotice) => Promise<void>;
}

export interface OutputSink {
  /**
   * The position to continue from: bytes before it are in the log. Bytes after it that were written but not yet logged
   * are forgotten, so write them again.
   */
  position(): Promise<LogPosition>;
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void>;
  /** Logs an unfinished line or character that was held back. */
  flush(): Promise<void>;
  /** Sets the position to 0: another process of the step is about to print from its beginning. Earlier output stays in the log. */
  restart(): Promise<void>;
}

export type StepNotice =
  /** No worker can take the step now. The reason is for people. */
  | { readonly kind: 'waiting-for-worker'; readonly reason: string }
  | { readonly kind: 'selected-worker'; readonly worker: string }
  /** An artifact that the step needs is on its way from one worker to another. */
  | { readonly kind: 'streaming'; readonly artifact: string; readonly from: string; readonly to: string }
  /** The same, and another step has begun it. */
  | { readonly kind: 'waiting-for-stream'; readonly artifact: string; readonly to: string }
  | { readonly kind: 'starting' }
  | { readonly kind: 'message'; readonly text: string };

/** The image a step's sandbox runs from. */
export type StepImage =
  | { readonly kind: 'base-type'; readonly type: string; readonly privileged: boolean }
  | { readonly kind: 'artifact'; readonly artifact: ArtifactRef; readonly privileged: boolean }
  | { readonly kind: 'uri'; readonly uri: string; readonly privileged: boolean }
  /** An image that hosts pull themselves. `source` is that of the image's resource, for a worker that has not pulled it yet. */
  | {
      readonly kind: 'pulled';
      readonly image: PulledImage;
      readonly source: () => Promise<JsonObject>;
      readonly privileged: boolean;
    }
  /** Tasks of some platforms, such as darwin, run without an image. */
  | { readonly kind: 'none'; readonly privileged: boolean };

/** An image of a registry that a worker can run sandboxes from, without an artifact. The journal keeps it, so it holds no password. */
export interface PulledImage {
  readonly worker: string;
  readonly digest: string;
  /** The image's name for that worker's host. */
  readonly reference: string;
  /** `NAME=value` each. */
  readonly env: readonly string[];
  /** Empty if the image names none. */
  readonly user: string;
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[];
}

/** A resource as its scripts see it: without variables, with its image. */
export interface ResolvedResource {
  readonly type: string;
  readonly source: JsonObject;
  readonly image: StepImage;
  /** The identity of a custom type's image. It is part of the identity of everything fetched with it. */
  readonly imageCacheId?: string;
  readonly tags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface CheckRequest extends ResolvedResource {
  /** The name of the pipeline's resource. Undefined for the image of a step or type. */
  readonly resource?: string;
  /** The same for the same type, down to its image, and source. */
  readonly config: number;
  readonly from?: Version;
}

export interface GetRequest extends ResolvedResource {
  readonly version: Version;
  readonly params?: JsonObject;
  /** Only the image of a step or type is wanted, and no files. So the host may pull it instead. */
  readonly forImage?: boolean;
}

/** What a get has fetched: an artifact, or an image that was asked for as such and that hosts pull. */
export interface Fetched {
  readonly artifact?: ArtifactRef;
  readonly image?: PulledImage;
  /** The identity of the fetched version: it is equal for equal type, source, version and params. */
  readonly cacheId: string;
}

export interface PutRequest extends ResolvedResource {
  readonly params?: JsonObject;
  readonly inputs: Readonly<Record<string, ArtifactRef>>;
}

export interface TaskRequest {
  readonly image: StepImage;
  /** The platform of the worker: `linux`. */
  readonly platform: string;
  readonly tags: readonly string[];
  readonly path: string;
  readonly args: readonly string[];
  /** Relative to the working directory. */
  readonly dir?: string;
  readonly user?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: ContainerLimits;
  readonly hermetic: boolean;
  readonly inputs: readonly { readonly name: string; readonly path: string; readonly artifact: ArtifactRef }[];
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  /** A cache expires this long after its last use. */
  readonly caches: readonly { readonly path: string; readonly ttlMs?: number }[];
  /** The owner of the caches. Undefined for one-off builds. */
  readonly cacheOwner?: { readonly jobId: number };
}

/** A script that ran to its end. Everything else (no such executable, pod lost, cannot start) is thrown. */
export type ScriptResult<T> = { readonly exitStatus: number; readonly result?: T };

export interface FetchedVersion {
  readonly version: Version;
  readonly metadata: readonly MetadataField[];
}

/**
 * A task leaves its outputs even when it fails, or when it is interrupted after its process has started. After an
 * interruption there is no exit status. (Throwing the signal's reason is also allowed, and gives up the outputs.)
 */
export interface TaskResult {
  readonly exitStatus?: number;
  readonly outputs: Readonly<Record<string, ArtifactRef>>;
}

/** Runs processes. Each call is idempotent by its identity: a second call attaches to the process of the first. */
export interface Orchestrator {
  check(io: StepIo, request: CheckRequest): Promise<ScriptResult<readonly Version[]>>;
  get(io: StepIo, request: GetRequest): Promise<ScriptResult<FetchedVersion & Fetched>>;
  put(io: StepIo, request: PutRequest): Promise<ScriptResult<FetchedVersion>>;
  task(io: StepIo, request: TaskRequest): Promise<TaskResult>;
  /**
   * Reads one file of an artifact. Undefined: there is no such file. For a file of more than `maxBytes` it throws an
   * error that names the limit and the file's size, and does not read the file to its end.
   */
  readFile(artifact: ArtifactRef, path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Finds an upload of `fly execute` by its number. */
  findUpload(artifactId: number): Promise<ArtifactRef | undefined>;
  /** Makes an artifact downloadable after the build, under a name. */
  publish(buildId: number, name: string, artifact: ArtifactRef): Promise<void>;
}

/**
 * Saves what a build learns about resources. After a crash a step may save the same thing again; the second time
 * changes nothing.
 */
export interface Resources {
  /**
   * Locks the scope that the check writes to, until the session is disposed of. If the scope's last check is recent
   * enough, the session says to skip the check.
   */
  beginCheck(build: BuildInfo, plan: CheckPlan, resolved: ResolvedResource, signal: AbortSignal): Promise<CheckSession>;
  saveInputMetadata(
    build: BuildInfo,
    resource: string,
    version: Version,
    metadata: readonly MetadataField[],
  ): Promise<void>;
  saveOutput(
    build: BuildInfo,
    plan: PutPlan & { readonly resource: string },
    resolved: ResolvedResource,
    version: Version,
    metadata: readonly MetadataField[],
  ): Promise<void>;
}

export interface CheckSession extends AsyncDisposable {
  /** Names the type, down to its image, and the source that are checked. */
  readonly config: number;
  readonly from?: Version;
  /** Set when the check need not run, with the newest known version, if any. */
  readonly skip?: { readonly latest?: Version };
  recordVersions(versions: readonly Version[]): Promise<{ readonly latest?: Version }>;
  recordFailure(): Promise<void>;
}

/** The variables of a build that are not its own: those of its pipeline's var sources. */
export interface Variables {
  /** Looks a variable up and goes into its fields. Undefined: there is no such variable. */
  get(ref: VarReference, signal: AbortSignal): Promise<Json | undefined>;
  /**
   * The places where `get` looks for a variable, for the message about a missing one. Empty when the name says it all.
   */
  placesOf(ref: VarReference, signal: AbortSignal): Promise<readonly string[]>;
}

export interface Pipelines {
  setPipeline(build: BuildInfo, request: SetPipelineRequest, signal: AbortSignal): Promise<SetPipelineResult>;
}

export interface SetPipelineRequest {
  /** A second call for the same build and plan sets nothing and returns the first result. */
  readonly planId: string;
  readonly name: string;
  readonly team?: string;
  readonly instanceVars?: JsonObject;
  readonly configText: string;
  /** The first that has a variable wins. */
  readonly vars: readonly JsonObject[];
}

export type SetPipelineResult = { readonly warnings?: readonly string[] } & (
  | { readonly kind: 'set'; readonly created: boolean; readonly changed: boolean; readonly diff: string }
  /** A newer build has set the pipeline, so nothing was changed. */
  | { readonly kind: 'superseded'; readonly diff: string }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] }
  /** The text does not have the shape of a pipeline. */
  | { readonly kind: 'malformed'; readonly errors: readonly string[] }
);

/** The build of a plan, as its steps see it. */
export interface BuildInfo {
  readonly id: number;
  readonly name: string;
  readonly teamId: number;
  readonly teamName: string;
  readonly jobId?: number;
  readonly jobName?: string;
  readonly pipelineId?: number;
  readonly pipelineName?: string;
  readonly pipelineInstanceVars?: JsonObject;
  readonly createdBy?: string;
  readonly externalUrl: string;
}

export interface EngineSeams {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly orchestrator: Orchestrator;
  readonly resources: Resources;
  readonly variables: Variables;
  readonly pipelines: Pipelines;
  readonly yaml: YamlParser;
  /** The operator's settings for steps that say nothing themselves. */
  readonly defaults?: StepDefaults;
  /** Whether values of variables are redacted in events. Default: true. */
  readonly redactSecrets?: boolean;
}

/** Durations are as in pipelines: `1h30m`. */
export interface StepDefaults {
  readonly getTimeout?: string;
  readonly putTimeout?: string;
  readonly taskTimeout?: string;
  readonly taskLimits?: ContainerLimits;
  readonly taskCacheTtl?: string;
  readonly checkTimeout?: string;
  readonly checkIntervals?: CheckIntervals;
  readonly baseTypeDefaults?: BaseTypeDefaults;
}

/** How a build ended. */
export type BuildOutcome = { readonly status: FinalStatus };
