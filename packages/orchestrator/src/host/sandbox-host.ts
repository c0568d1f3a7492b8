import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { ContainerLimits } from '@seaplane/config';
import type { HostErrorCode } from './host-error.ts';

/**
 * A place to run: one per worker. Everything above it (the process protocol, streaming, caches, images, retries) is
 * written once, in this package. One contract suite (`testing/sandbox-host-contract.ts`) holds for every host.
 */
export interface SandboxHost {
  /** The worker's name. */
  readonly name: string;
  /** Idempotent: the handle is the name, and creating what is there finds it. Returns when the host has accepted it. */
  create(spec: SandboxSpec, signal: AbortSignal): Promise<void>;
  /** Level-triggered: first every sandbox there is and a `synced`, then each change, for ever; ends with the signal. */
  watch(signal: AbortSignal): AsyncIterable<SandboxEvent>;
  /** The sidecar of a sandbox that is `ready`, or of the store. Cheap; dials when used. */
  connect(handle: string): Promise<BaggageclaimClient>;
  /** The target's store: what outlives sandboxes, and images for the kubelet. */
  store(): Promise<BaggageclaimClient>;
  /** Where a node finds an image that the store serves: what goes before `@sha256:...` for an image's path. */
  imageReference(path: string, digest: string): Promise<string>;
  /** Idempotent: returns when the host has accepted it; `gone` follows in the watch. */
  destroy(handle: string): Promise<void>;
  /** What there is by the host's own account, asked now: what a collector compares with what there should be. */
  list(signal: AbortSignal): Promise<readonly ListedSandbox[]>;
  check(signal: AbortSignal): Promise<HostHealth>;
}

export interface ListedSandbox {
  readonly handle: string;
  readonly createdAt: Date;
}

/** One sandbox: a pod, a process group. Nothing in it is secret: everything that is travels with the run request. */
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

/** By a name that the host's nodes can pull. */
export interface SandboxImage {
  readonly reference: string;
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
  | { readonly kind: 'notice'; readonly handle: string; readonly text: string };

export type SandboxState =
  | { readonly phase: 'pending'; readonly reason?: string }
  /** Its sidecar can be connected to. */
  | { readonly phase: 'ready' }
  /** It will never run, or has stopped running. The reason is the cause in words for the user. */
  | { readonly phase: 'failed'; readonly code: HostErrorCode; readonly reason: string }
  | { readonly phase: 'gone' };

export interface HostHealth {
  /** Whether steps can run at all: it can be asked, and would take one now, or when there is room. */
  readonly usable: boolean;
  /** In words: missing permissions, no user namespaces, a store that does not answer. Empty when all is well. */
  readonly problems: readonly string[];
}
