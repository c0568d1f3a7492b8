import type { HijackRequest, HijackStream } from '@seaplane/baggageclaim';
import type { Version } from '@seaplane/config';
import type { Build, Checkable, Pipeline, WatchDependencies, WorkerArtifact } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import type { LocalUser } from './auth/local-users.ts';

/** Everything the API needs of the outside, and nothing else. */
export interface ApiContext {
  readonly pool: WatchDependencies['pool'];
  readonly notifications: WatchDependencies['notifications'];
  readonly clock: Pick<Clock, 'now'>;
  /** Where users reach this API, without a slash at its end. Links are made of it. */
  readonly externalUrl: string;
  readonly clusterName?: string;
  readonly localUsers: readonly LocalUser[];
  /** Whether values of variables are hidden in builds' logs; they are unless this is false. */
  readonly redactSecrets?: boolean;
  /** Holds what `fly sync` downloads: `fly-PLATFORM-ARCH`, or `fly-PLATFORM-ARCH.tgz` with `fly` in it. */
  readonly flyDirectory?: string;
  readonly sandboxes: Sandboxes;
  readonly artifacts: Artifacts;
  readonly checks: Checks;
  readonly variables: PipelineVariables;
  /** Called with what the API could not help: the user is only told that there is something in the log. */
  readonly onError: (error: unknown, path: string) => void;
}

/** Starts processes in sandboxes that run, for `fly intercept`. */
export interface Sandboxes {
  /** Rejects with words for the user when the sandbox cannot be reached. Ends the process when the signal is aborted. */
  hijack(handle: string, request: HijackRequest, signal: AbortSignal): Promise<HijackStream>;
}

/** Directories that `fly execute` sends and takes, as plain tar streams. */
export interface Artifacts {
  /** Rejects with an `ApiError` where there are words for the user. */
  upload(request: UploadRequest, signal: AbortSignal): Promise<WorkerArtifact>;
  /** Undefined: it is not there any more. Whose it is, the caller has made sure of. Rejects as `upload` does. */
  download(artifact: WorkerArtifact, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>;
}

export interface UploadRequest {
  readonly teamId: number;
  readonly tar: ReadableStream<Uint8Array>;
  /** Where it will be used. */
  readonly platform?: string;
  readonly tags: readonly string[];
}

export interface Checks {
  /** Starts a check that somebody asked for, and returns its build. */
  start(of: Checkable, request: RequestedCheck): Promise<Build>;
}

export interface RequestedCheck {
  /** The version to look from. Without: where the resource is pinned, or the last check ended. */
  readonly from?: Version;
  /** Only what was asked for, not also the types it is of. */
  readonly shallow: boolean;
  readonly createdBy?: string;
}

/** Puts in the variables that a pipeline may use: `((...))` from its var sources and the installation's secrets. */
export interface PipelineVariables {
  /** Rejects with words for the user when a variable cannot be found. */
  interpolate(pipeline: Pipeline, text: string, signal: AbortSignal): Promise<string>;
}
