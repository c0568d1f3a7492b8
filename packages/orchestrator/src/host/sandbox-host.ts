import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { ContainerLimits } from '@seaplane/config';
import type { HostErrorCode } from './host-error.ts';

/**
 * A place that runs sandboxes; each worker has one. Everything above it (the process protocol, streaming, caches, images,
 * retries) is written once, in this package. One contract suite (`testing/sandbox-host-contract.ts`) holds for every host.
 * Methods throw a `HostError`, or the reason of their signal.
 */
export interface SandboxHost {
  /** The worker's name. */
  readonly name: string;
  /** Limits that the operator has set. */
  readonly limits: HostLimits;
  /** The image of steps that name none. Absent: the host runs no step without an image. */
  readonly ownImage?: string;
  /** `none`: the host runs only steps that name no image. */
  readonly images?: 'none';
  /**
   * The images of registries that the host pulls by itself, when its store is asked to provide them: `any`, or those that need no
   * password, certificate or mirror of a pipeline's. Absent: none.
   */
  readonly pulls?: 'any' | 'public';
  /** Idempotent by the handle: creating a sandbox that exists finds it. Returns when the host has accepted the sandbox. */
  create(spec: SandboxSpec, signal: AbortSignal): Promise<void>;
  /** Level-triggered: yields every sandbox there is, then `synced`, then each change. Ends with the signal. */
  watch(signal: AbortSignal): AsyncIterable<SandboxEvent>;
  /** A client of the sidecar of a sandbox that is `ready`. Connects when it is used. */
  connect(handle: string): Promise<BaggageclaimClient>;
  /** A client of the worker's store, which keeps artifacts that outlive sandboxes, and serves images to nodes. */
  store(): Promise<BaggageclaimClient>;
  /** The full name under which nodes pull an image that the store serves. */
  imageReference(path: string, digest: string): Promise<string>;
  /**
   * Gives back the CPU and memory that a sandbox reserves. Its files and its sidecar stay, and people can still work in it.
   * Call it when its process has ended. Idempotent. Returns false if the sandbox still reserves something: the host can't
   * do this, or not yet. Then only `destroy` gives it back.
   */
  release(handle: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Gives a released sandbox what it reserved, for somebody who enters it. Idempotent. If the host has no room now, the
   * sandbox stays as it is.
   */
  restore(handle: string, signal: AbortSignal): Promise<void>;
  /** Idempotent. Returns when the host has accepted the request; `gone` follows in the watch. */
  destroy(handle: string): Promise<void>;
  /** The handles of all sandboxes of this installation that the host has now. A collector compares them with the records. */
  list(signal: AbortSignal): Promise<readonly string[]>;
  check(signal: AbortSignal): Promise<HostHealth>;
  /**
   * Removes everything that this installation has made on the host: sandboxes, the store and all it keeps. From then on the host
   * is of no use. Idempotent. Returns true if nothing was left; until then, call it again.
   */
  clear(signal: AbortSignal): Promise<boolean>;
}

/** Limits of a host that its operator sets. */
export interface HostLimits {
  /** How long a step waits for room before it errors. In milliseconds. */
  readonly roomWaitMs: number;
  /** How many sandboxes of builds that have ended are kept for people to look into. */
  readonly keptSandboxes: number;
}

/** A sandbox to make: a pod, a process group. It holds no secret: secrets travel with the run request. */
export interface SandboxSpec {
  readonly handle: string;
  readonly image: SandboxImage;
  readonly privileged: boolean;
  readonly hermetic: boolean;
  readonly limits?: ContainerLimits;
  /** Directories outside of `/tmp/build` that must be volumes of their own: absolute paths. */
  readonly mounts: readonly string[];
  /** For people and for `kubectl get pods -l`. */
  readonly labels: SandboxLabels;
}

/** An image, by a name that the host's nodes can pull. */
export interface SandboxImage {
  readonly reference: string;
  /**
   * Somebody who may set pipelines wrote the reference, so it names an image of a registry and nothing else. Absent: an operator
   * configured it, or the host made it.
   */
  readonly fromPipeline?: true;
}

export interface SandboxLabels {
  readonly type: 'check' | 'get' | 'put' | 'task' | 'run';
  readonly team: string;
  readonly pipeline?: string;
  readonly job?: string;
  readonly build?: string;
  readonly buildId?: number;
  readonly step: string;
  readonly attempt?: string;
}

export type SandboxEvent =
  | { readonly kind: 'synced' }
  | { readonly kind: 'state'; readonly handle: string; readonly state: SandboxState }
  /** Something worth a line in the build's log: unschedulable, image pull, eviction. */
  | { readonly kind: 'notice'; readonly handle: string; readonly text: string }
  /** A host that refused a sandbox for its quota may have room again. */
  | { readonly kind: 'room' };

export type SandboxState =
  /** `noRoom`: no machine has room for it now. */
  | { readonly phase: 'pending'; readonly reason?: string; readonly noRoom?: true }
  /** Web can connect to its sidecar. */
  | { readonly phase: 'ready' }
  /** It will never run, or has stopped running. The reason is the cause in words for the user. */
  | { readonly phase: 'failed'; readonly code: HostErrorCode; readonly reason: string }
  | { readonly phase: 'gone' };

export interface HostHealth {
  /** Whether steps can run: the host answers, and would take a sandbox now or when there is room. */
  readonly usable: boolean;
  /** In words: missing permissions, no user namespaces, a store that does not answer. Empty if there are none. */
  readonly problems: readonly string[];
  /** In words, how web reaches the sandboxes, where there is more than one way. Absent: there is one, or it is not known yet. */
  readonly way?: string;
}
