import type { Journal, JournalKey } from '../seams.ts';

/** A fact that one walk of a build establishes and every later walk must know. Once set, it cannot be unset. */
export interface Mark {
  isSet(): Promise<boolean>;
  set(): Promise<void>;
}

/** A mark in a build's journal. `planId` may also name a group within a plan. */
export function journalMark(
  journal: Journal,
  planId: string,
  what: Extract<JournalKey['what'], 'failed-fast' | 'aborted-before-hook'>,
): Mark {
  return {
    isSet: async () => (await journal.read({ planId, what })) !== undefined,
    set: async () => void (await journal.record({ planId, what }, {})),
  };
}
