export { type JournaledBuild, journalContract } from './journal-contract.ts';
export { type ManualClock, manualClock, quiet } from './manual-clock.ts';
export { type Crash, emptyJournal, type JournalContents, type MemoryJournal, memoryJournal } from './memory-journal.ts';
export { memorySeams, TEST_BUILD } from './memory-seams.ts';
export { newWorld, type Script, type World } from './memory-world.ts';
export { type OrchestratorUnderTest, orchestratorContract } from './orchestrator-contract.ts';
export { type ResourcesUnderTest, resourcesContract } from './resources-contract.ts';
export { type VariablesUnderTest, variablesContract } from './variables-contract.ts';
export { shortEvents, type TestBuild, testBuild, type Walk } from './walk.ts';
