import type { Journal } from '../seams.ts';
import { Drained } from '../walk/interruption.ts';

/**
 * A journal that nothing goes on without: when it fails, all steps are made to stop (`letGo`) and {@link Drained} is
 * thrown; after the drain it does nothing more.
 */
export function guardJournal(journal: Journal, drain: AbortSignal, letGo: (reason: Drained) => Drained): Journal {
  async function guarded<T>(operation: () => Promise<T>): Promise<T> {
    if (drain.aborted) throw drain.reason;
    try {
      return await operation();
    } catch (cause) {
      throw letGo(cause instanceof Drained ? cause : journalFailed(cause));
    }
  }
  return {
    read: (key) => guarded(() => journal.read(key)),
    record: (key, value) => guarded(() => journal.record(key, value)),
    emit: (key, event) => guarded(() => journal.emit(key, event)),
    appendLog: (planId, events, position) => guarded(() => journal.appendLog(planId, events, position)),
    logPosition: (planId) => guarded(() => journal.logPosition(planId)),
  };
}

function journalFailed(cause: unknown): Drained {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Drained(`the build's journal failed (${why}); the build goes on from it when it works again`, { cause });
}
