import type {
  CheckPlan,
  ContainerLimits,
  Json,
  JsonObject,
  MetadataField,
  VarReference,
  Version,
} from '@seaplane/config';
import type { BuildEvent, FinalStatus } from './events.ts';

// Everything the engine needs of the outside, and nothing else. The engine itself does no I/O. What is thrown here is an
// error of the step that asked, but for `Drained`: that ends the walk, and another one asks again. So it is right for what
// will pass by itself, such as a database that is away, and wrong for anything that will not.

export interface Clock {
  now(): Date;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * What a build has done so far, durably. The engine walks its plan from the top each time a web takes the build over;
 * the journal makes that walk end where the last one did: a step that finished is not run again, a step that runs is
 * attached to, and no event is written twice.
 */
export interface Journal {
  /** What a step recorded, or undefined. */
  read(key: JournalKey): Promise<JsonObject | undefined>;
  /**
   * Records once: the first value stays, and is returned to everyone. Values are as secret as the plan: load_var's are
   * among them.
   */
  record(key: JournalKey, value: JsonObject): Promise<JsonObject>;
  /**
   * Appends an event once: a second one with the same key is dropped. Events without a key are the build's log, whose
   * position is in `appendLog`.
   */
  emit(key: string, event: BuildEvent): Promise<void>;
  /** Appends log events and moves the step's position past the bytes they came from, both or neither. */
  appendLog(planId: string, events: readonly BuildEvent[], position: LogPosition): Promise<void>;
  logPosition(planId: string): Promise<LogPosition>;
}

/**
 * A plan, and which of its facts. Each fact has one writer:
 *
 * - `started`: when the step first began.
 * - `sandbox`: which worker was chosen for the step's process, and when.
 * - `result`: how a leaf ended.
 * - `task-file`: the text of the file with a task's configuration.
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
    | 'pipeline-set'
    | 'timed-out'
    | 'across-values'
    | 'failed-fast'
    | 'aborted-before-hook';
}

/** How many bytes of each stream of a step's process are in the build's events. */
export interface LogPosition {
  readonly stdout: number;
  readonly stderr: number;
}

/** A directory that one step made and others may use. Opaque to the engine; kept by the orchestrator. */
export interface ArtifactRef {
  readonly id: string;
}

/** Who runs: enough to name a sandbox, label it and find it again. */
export interface StepIdentity {
  readonly buildId: number;
  readonly planId: string;
  /** `1`, or `2.1` within nested retries; empty outside of any. */
  readonly attempt: string;
  readonly stepName: string;
}

export interface StepIo {
  readonly identity: StepIdentity;
  /**
   * Its reason says what to do with a process that runs. An `Interruption`: end it, write its last words, then throw
   * the reason. `Drained`: leave it alone, for another web will attach to it, and throw the reason at once. A signal
   * that is aborted from the start means the same; nothing is started then.
   */
  readonly signal: AbortSignal;
  /** Where output of the process goes; backed by the journal, so a resumed step continues at its position. */
  readonly output: OutputSink;
  /** Things worth an event while a step gets ready. */
  readonly notice: (notice: StepNotice) => Promise<void>;
}

export interface OutputSink {
  /**
   * The position to continue from: bytes before it are already in the log. What was written after it and is not yet in
   * the log is forgotten, so write it again.
   */
  position(): Promise<LogPosition>;
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void>;
  /** Writes what was held back (an unfinished line or character). */
  flush(): Promise<void>;
}

export type StepNotice =
  | { readonly kind: 'selected-worker'; readonly worker: string }
  | { readonly kind: 'starting' }
  | { readonly kind: 'message'; readonly text: string };

/** The image a step's sandbox runs from. */
export type StepImage =
  | { readonly kind: 'base-type'; readonly type: string; readonly privileged: boolean }
  | { readonly kind: 'artifact'; readonly artifact: ArtifactRef; readonly privileged: boolean }
  | { readonly kind: 'uri'; readonly uri: string; readonly privileged: boolean };

/** A resource as its scripts see it: everything is resolved, no variable is left. */
export interface ResolvedResource {
  readonly type: string;
  readonly source: JsonObject;
  readonly image: StepImage;
  /** Identity of the custom type's image, for the identity of what is made with it. */
  readonly imageCacheId?: string;
  readonly tags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface CheckRequest extends ResolvedResource {
  /** The pipeline's resource that is checked; none when it is the image of a step or type. */
  readonly resource?: string;
  readonly from?: Version;
}

export interface GetRequest extends ResolvedResource {
  readonly version: Version;
  readonly params?: JsonObject;
}

export interface PutRequest extends ResolvedResource {
  readonly params?: JsonObject;
  readonly inputs: Readonly<Record<string, ArtifactRef>>;
}

export interface TaskRequest {
  readonly image: StepImage;
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
  readonly caches: readonly { readonly path: string }[];
  /** Whose caches: none for one-off builds. */
  readonly cacheOwner?: { readonly jobId: number };
}

/** A script that ran to its end. Anything else (no such executable, pod lost, cannot start) is thrown. */
export type ScriptResult<T> = { readonly exitStatus: number; readonly result?: T };

export interface FetchedVersion {
  readonly version: Version;
  readonly metadata: readonly MetadataField[];
}

/**
 * A task leaves its outputs also when it fails, and when it was interrupted after its process had started: then there
 * is no exit status (throwing the signal's reason instead is right, too, and gives up the outputs).
 */
export interface TaskResult {
  readonly exitStatus?: number;
  readonly outputs: Readonly<Record<string, ArtifactRef>>;
}

/** Runs steps somewhere. Each call is idempotent by its identity: called again, it attaches to what it started. */
export interface Orchestrator {
  check(io: StepIo, request: CheckRequest): Promise<ScriptResult<readonly Version[]>>;
  /** `cacheId` names what was fetched: the same type, source, version and params have the same one. */
  get(
    io: StepIo,
    request: GetRequest,
  ): Promise<ScriptResult<FetchedVersion & { artifact: ArtifactRef; cacheId: string }>>;
  put(io: StepIo, request: PutRequest): Promise<ScriptResult<FetchedVersion>>;
  task(io: StepIo, request: TaskRequest): Promise<TaskResult>;
  /** One file of an artifact; undefined when it is not there. */
  readFile(artifact: ArtifactRef, path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** An uploaded artifact by its number, for `fly execute`. */
  findUpload(artifactId: number): Promise<ArtifactRef | undefined>;
  /** Makes an artifact downloadable after the build, under a name. */
  publish(buildId: number, name: string, artifact: ArtifactRef): Promise<void>;
}

/**
 * What the engine tells and asks about the build's resources. Backed by the database. After a crash a step may tell the
 * same thing again: the second time changes nothing.
 */
export interface Resources {
  /**
   * The scope a check writes to, locked while it runs. `skip` says that its last check is recent enough; then the
   * versions it knows are the result.
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
    name: string,
    resource: string,
    resolved: ResolvedResource,
    version: Version,
    metadata: readonly MetadataField[],
  ): Promise<void>;
}

export interface CheckSession extends AsyncDisposable {
  readonly from?: Version;
  /** Set when the check need not run: the newest known version, if any. */
  readonly skip?: { readonly latest?: Version };
  recordVersions(versions: readonly Version[]): Promise<{ readonly latest?: Version }>;
  recordFailure(): Promise<void>;
}

/** The variables of a build that are not its own: those of its pipeline's var sources. */
export interface Variables {
  /** Looks a variable up and goes into its fields. Undefined: there is no such variable. */
  get(ref: VarReference, signal: AbortSignal): Promise<Json | undefined>;
  /** Where `get` looks for a variable, unless its name tells. For the message about a variable that is not there. */
  placesOf(ref: VarReference, signal: AbortSignal): Promise<readonly string[]>;
}

export interface Pipelines {
  setPipeline(build: BuildInfo, request: SetPipelineRequest): Promise<SetPipelineResult>;
}

export interface SetPipelineRequest {
  /** Called again for the same build and plan, it tells again what it did the first time. */
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
  /** A build newer than this one has set it: nothing is changed. */
  | { readonly kind: 'superseded'; readonly diff: string }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] }
);

/** The build a plan belongs to, as steps see it. */
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
  /** Whether values of variables are hidden in events; they are unless this is false. */
  readonly redactSecrets?: boolean;
}

/** How a build ended. */
export type BuildOutcome = { readonly status: FinalStatus };
