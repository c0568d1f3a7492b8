/**
 * Everything that can go wrong with a host: one closed set for all kinds of host, so that a metric, a page or a retry
 * rule can branch on it. The first group is about asking the host, the second about a sandbox that it had accepted; the
 * last belongs to both.
 */
export type HostErrorCode =
  /** The worker's entry in the configuration, or a file that the entry names, can't be used. */
  | 'bad-config'
  /** The host does not answer. */
  | 'unreachable'
  /** The host's certificate does not prove that it is the configured one. */
  | 'untrusted'
  /** The host does not accept our credentials. */
  | 'unauthorized'
  /** The host accepts our credentials, but they do not have a right that we need. */
  | 'forbidden'
  /** The namespace or directory that sandboxes are made in does not exist. */
  | 'location-gone'
  /** The host answers that it is overloaded or failing. Another try may succeed. */
  | 'overloaded'
  /** The worker's store does not run or does not answer. */
  | 'store'
  /** The step asks to run privileged and the worker does not allow it. */
  | 'privileged'
  /** Something that is not ours, or another worker's, has the sandbox's name. */
  | 'name-taken'
  /** The sandbox exists, but can't be connected to yet. */
  | 'not-ready'

  /** No machine of the host can take the sandbox. */
  | 'unschedulable'
  /** The sandbox's image can't be pulled. */
  | 'image-pull'
  /** A container can't be created or started, although its image is there. */
  | 'cannot-start'
  /** A process was killed because the sandbox, or its machine, ran out of memory. */
  | 'out-of-memory'
  /** The host took the sandbox from its machine: drained, preempted, shut down, or short of something. */
  | 'evicted'
  /** The machine of the sandbox went away or does not answer. */
  | 'node-lost'
  /** Somebody deleted the sandbox. */
  | 'deleted'
  /** The sidecar ended again and again, or lost track of the process. */
  | 'sidecar-lost'
  /** The sandbox ended by itself, without an exit record. */
  | 'ended'

  /** The host's quota is used up. Another try may succeed when other sandboxes have ended. */
  | 'quota'
  /** A rule of the host forbids the sandbox: admission, validation, security level. */
  | 'refused';

/** An error of a host. The message is for people: what failed, why, what to do. It never holds a secret. */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HostError';
    this.code = code;
  }
}

/** A sandbox that the host had accepted does not run, or not any more. The code is the cause. */
export class SandboxFailure extends HostError {
  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'SandboxFailure';
  }
}
