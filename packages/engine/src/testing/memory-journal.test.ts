import { journalContract } from './journal-contract.ts';
import { emptyJournal, memoryJournal } from './memory-journal.ts';

journalContract('the journal in memory', async () => {
  const contents = emptyJournal();
  return {
    open: () => memoryJournal(contents),
    events: async () => contents.events,
    clock: async () => contents.clock.now().getTime(),
  };
});
