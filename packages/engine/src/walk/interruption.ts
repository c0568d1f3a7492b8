export type InterruptionKind = 'abort' | 'timeout' | 'fail-fast';

/**
 * Why a step must end: somebody aborted the build, a deadline passed, or a step beside it failed. It is the reason of
 * the step's signal, and the interrupted step throws it.
 */
export class Interruption extends Error {
  readonly kind: InterruptionKind;
  /** The id of the plan whose deadline or fail_fast it was. Empty for an abort, which concerns the whole build. */
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
 * This walk stops here and leaves everything as it is, because web lets go of the build or the journal cannot be
 * written. Nothing is recorded, no hook runs, and no process is ended; a later walk goes on from the journal. It, too,
 * is a reason of the step's signal.
 */
export class Drained extends Error {
  constructor(message = 'this web let go of the build; another continues it', options?: ErrorOptions) {
    super(message, options);
    this.name = 'Drained';
  }
}

/** Whether a step was cancelled. A step that took too long was not: it has failed. */
export function isCancellation(error: unknown): error is Interruption {
  return error instanceof Interruption && error.kind !== 'timeout';
}
