export type InterruptionKind = 'abort' | 'timeout' | 'fail-fast';

/**
 * Why a step must end: somebody aborted the build, a deadline passed, or a step beside it failed. It is the reason of
 * the signal that steps get, and what a step that was ended by it throws.
 */
export class Interruption extends Error {
  readonly kind: InterruptionKind;
  /** The plan whose deadline or fail_fast it was; empty for an abort, which concerns the whole build. */
  readonly by: string;

  constructor(kind: InterruptionKind, by = '') {
    super(MESSAGES[kind]);
    this.name = 'Interruption';
    this.kind = kind;
    this.by = by;
  }
}

const MESSAGES: Readonly<Record<InterruptionKind, string>> = {
  abort: 'the build was aborted',
  timeout: 'timeout exceeded',
  'fail-fast': 'a step beside it failed',
};

/**
 * This walk of the build stops here and leaves everything as it is: the web lets go of the build, or its journal can no
 * longer be written. Nothing is recorded, no hook runs, no process is ended; a later walk goes on from the journal.
 * It, too, is a reason of the signal that steps get.
 */
export class Drained extends Error {
  constructor(message = 'this web let go of the build; another continues it', options?: ErrorOptions) {
    super(message, options);
    this.name = 'Drained';
  }
}

/** A step that was cancelled, as opposed to one that took too long, which is a failure. */
export function isCancellation(error: unknown): error is Interruption {
  return error instanceof Interruption && error.kind !== 'timeout';
}
