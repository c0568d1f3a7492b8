import type { ExitRecord, ProcessEnd } from '../../protocol/messages.ts';

/** The exit record of a process that the sidecar ends itself, without figures. */
export function exitRecordOf({ id, attempt }: { id: string; attempt: string }, end: ProcessEnd): ExitRecord {
  return { id, attempt, end, wallSeconds: 0, cpuSeconds: 0, peakMemoryBytes: 0 };
}
