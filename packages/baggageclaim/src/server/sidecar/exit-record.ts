import type { ExitRecord, ProcessEnd } from '../../protocol/messages.ts';

/** The record of a process that the supervisor did not end: it used nothing. */
export function exitRecordOf({ id, attempt }: { id: string; attempt: string }, end: ProcessEnd): ExitRecord {
  return { id, attempt, end, wallSeconds: 0, cpuSeconds: 0, peakMemoryBytes: 0 };
}
