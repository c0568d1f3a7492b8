import type { Journal } from '../seams.ts';
import { Drained } from '../walk/interruption.ts';

/**
 * A journal whose failure drains the walk: `letGo` stops all steps, and {@link Drained} is thrown. After the drain
 * every operation throws.
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
    now: () => guarded(() => journal.now()),
  };
}

function journalFailed(cause: unknown): Drained {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Drained(`the build's journal failed (${why}); the build continues when the journal works again`, {
    cause,
  });
}
