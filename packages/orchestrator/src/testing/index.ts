export { FileTree } from './file-tree.ts';
export { InMemoryHost } from './in-memory-host.ts';
export { CONTRACT_PROGRAMS, KilledBy, OutOfMemory, type Program, type ProgramContext } from './in-memory-programs.ts';
export { InMemoryRecords } from './in-memory-records.ts';
export { type RecordsUnderTest, recordsContract } from './records-contract.ts';
export { describeSandboxHost, type HostUnderTest } from './sandbox-host-contract.ts';
export { type TestBed, type TestIo, testBed } from './test-bed.ts';
