import type { HijackRequest, HijackStream } from '@seaplane/baggageclaim';
import type { Json, JsonObject, VarSourceConfig, Version, YamlParser } from '@seaplane/config';
import type { Build, Checkable, Pipeline, PipelineRef, WatchDependencies, WorkerArtifact } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import type { CredentialManagersAnswer } from './answers/info.ts';
import type { ActionRoles } from './auth/actions.ts';
import type { LocalUser } from './auth/local-users.ts';
import type { StreamLimits } from './http/open-streams.ts';

/** Everything that the API needs from the rest of web. */
export interface ApiContext {
  readonly pool: WatchDependencies['pool'];
  readonly notifications: WatchDependencies['notifications'];
  readonly clock: Pick<Clock, 'now' | 'elapsedMs'>;
  /** The address under which users reach this API, without a slash at its end. Links start with it. */
  readonly externalUrl: string;
  /** The `issuer` of identity tokens, without a slash at its end. By default `externalUrl`. */
  readonly identityIssuer?: string;
  readonly clusterName?: string;
  /** The version of Concourse to answer as. By default the one that this API is compatible with. */
  readonly concourseVersion?: string;
  readonly localUsers: readonly LocalUser[];
  /** The lowest role that may do each action. By default Concourse's. */
  readonly actionRoles?: ActionRoles;
  /** Whether the values of variables are hidden in the logs of builds. True by default. */
  readonly redactSecrets?: boolean;
  /** The directory of the programs for `fly sync`: `fly-PLATFORM-ARCH`, or `fly-PLATFORM-ARCH.tgz` with `fly` in it. */
  readonly flyDirectory?: string;
  /** How many clients may watch events at the same time. */
  readonly streamLimits?: StreamLimits;
  /** How long a `fly intercept` may go without input, in milliseconds. 0, the default: for ever. */
  readonly interceptIdleMs?: number;
  readonly sandboxes: Sandboxes;
  readonly artifacts: Artifacts;
  readonly checks: Checks;
  readonly variables: PipelineVariables;
  /** The settings of the installation's own credential manager, for administrators. */
  readonly credentialManagers?: CredentialManagersAnswer;
  /** The public keys that verify identity tokens, as JSON Web Keys. There is at least one of each algorithm. */
  readonly identityKeys: () => Promise<readonly JsonObject[]>;
  readonly logLevel: LogLevels;
  readonly yaml: YamlParser;
  /** Called with each error that the sender cannot mend. The answer only points to the log. */
  readonly onError: (error: unknown, path: string) => void;
}

/** The levels of a log that Concourse knows, the most talkative first. */
export const LOG_LEVELS = ['debug', 'info', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level of this web's log. A change holds until web stops. */
export interface LogLevels {
  get(): LogLevel;
  set(level: LogLevel): void;
}

/** Starts processes in running sandboxes, for `fly intercept`. */
export interface Sandboxes {
  /** Rejects if the sandbox cannot be reached; the message is for the user. Aborting the signal ends the process. */
  hijack(handle: string, request: HijackRequest, signal: AbortSignal): Promise<HijackStream>;
}

/** Directories that `fly execute` uploads and downloads, as plain tar streams. */
export interface Artifacts {
  /** Rejects with an `ApiError` if the user can mend the problem. */
  upload(request: UploadRequest, signal: AbortSignal): Promise<WorkerArtifact>;
  /** Undefined if the artifact is gone. The caller has checked the artifact's team. Rejects as `upload` does. */
  download(artifact: WorkerArtifact, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>;
}

export interface UploadRequest {
  readonly teamId: number;
  readonly tar: ReadableStream<Uint8Array>;
  /** The platform of the step that will use the upload. */
  readonly platform?: string;
  readonly tags: readonly string[];
}

export interface Checks {
  /** Starts a check that a user or a webhook asked for, and returns its build. */
  start(of: Checkable, request: RequestedCheck): Promise<Build>;
}

export interface RequestedCheck {
  /** The version to check from. Left out: the pinned version, or the version that the last check ended with. */
  readonly from?: Version;
  /** Check only the resource or type itself, not the types that it is of. */
  readonly shallow: boolean;
  readonly createdBy?: string;
}

export interface UnsavedPipeline {
  readonly teamName: string;
  readonly ref: PipelineRef;
  readonly sources: readonly VarSourceConfig[];
}

/** Replaces the `((...))` of a pipeline by values from its var sources and the installation's credential manager. */
export interface PipelineVariables {
  /** Rejects if a variable is not found; the message is for the user. */
  interpolate(pipeline: Pipeline, text: string, signal: AbortSignal): Promise<string>;
  /**
   * Looks up the variables of values in the var sources of a pipeline that is not saved yet, and returns what is wrong
   * with each value, in words. Local variables are passed over: builds set them.
   */
  findProblems(pipeline: UnsavedPipeline, values: readonly Json[], signal: AbortSignal): Promise<string[]>;
}
