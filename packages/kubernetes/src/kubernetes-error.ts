/** What can go wrong between Seaplane and a cluster. */
export type KubernetesErrorCode =
  /** The target's configuration is wrong. */
  | 'bad-target'
  /** The kubeconfig, or the pod's own service account, can't be used. */
  | 'bad-kubeconfig'
  /** The API server does not answer. */
  | 'unreachable'
  /** The API server is not the one the kubeconfig describes, or its certificate has expired. */
  | 'untrusted'
  /** The credentials are refused. */
  | 'unauthorized'
  /** The credentials are good, but the Role is missing or lacks something. */
  | 'forbidden'
  | 'namespace-gone'
  | 'not-found'
  | 'conflict'
  /** A watch can't go on from where it was. */
  | 'expired'
  | 'quota'
  /** The cluster refuses the object: admission, validation. */
  | 'rejected'
  /** The API server is overloaded or failing. */
  | 'server'
  | 'privileged'
  | 'store';

/** Its message is for a person: what happened, to what, and what to do. It never holds a secret. */
export class KubernetesError extends Error {
  readonly code: KubernetesErrorCode;

  constructor(code: KubernetesErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubernetesError';
    this.code = code;
  }
}

export function hasCode(error: unknown, ...codes: readonly KubernetesErrorCode[]): error is KubernetesError {
  return error instanceof KubernetesError && codes.includes(error.code);
}
