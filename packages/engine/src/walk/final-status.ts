import { assertNever } from '@seaplane/config';
import type { FinalStatus } from '../events.ts';
import { Interruption, type InterruptionKind } from './interruption.ts';
import type { Settled } from './step.ts';

/** The status of a build whose plan ended with this result. */
export function finalStatus(result: Settled): FinalStatus {
  if ('outcome' in result) return result.outcome;
  return result.error instanceof Interruption ? statusOfInterruption(result.error.kind) : 'errored';
}

function statusOfInterruption(kind: InterruptionKind): FinalStatus {
  switch (kind) {
    case 'abort':
    case 'fail-fast':
      return 'aborted';
    case 'timeout':
      return 'failed';
    default:
      return assertNever(kind);
  }
}
