import * as v from 'valibot';
import type { ExitRecord } from '../../protocol/messages.ts';

const exitRecord = v.object({
  id: v.string(),
  attempt: v.string(),
  end: v.variant('kind', [
    v.object({ kind: v.literal('exited'), status: v.number() }),
    v.object({ kind: v.literal('signaled'), signal: v.number() }),
    v.object({ kind: v.literal('interrupted'), message: v.string() }),
    v.object({
      kind: v.literal('not-started'),
      cause: v.picklist(['executable', 'user', 'directory', 'input', 'system']),
      message: v.string(),
    }),
  ]),
  wallSeconds: v.number(),
  cpuSeconds: v.number(),
  peakMemoryBytes: v.number(),
  outOfMemory: v.exactOptional(v.object({ limitBytes: v.number() })),
}) satisfies v.GenericSchema<unknown, ExitRecord>;

/** Returns undefined for a text that is not an exit record as JSON. */
export function parseExitRecord(text: string): ExitRecord | undefined {
  try {
    const result = v.safeParse(exitRecord, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
