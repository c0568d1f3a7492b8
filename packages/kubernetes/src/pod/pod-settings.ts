import type { Witness } from '@seaplane/baggageclaim';

/** Beside the target, everything that a pod needs of this web. */
export interface PodSettings {
  /** The public half of web's key, which the sidecar trusts. Nothing secret is in a pod. */
  readonly publicKey: string;
  /** Whether the cluster gives pods user namespaces. */
  readonly userNamespaces: boolean;
  /** The worker's store, for the pod of a hermetic step. */
  readonly witness?: Witness;
}
