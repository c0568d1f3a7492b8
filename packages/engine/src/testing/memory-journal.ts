import type { JsonObject } from '@seaplane/config';
import type { BuildEvent } from '../events.ts';
import type { Clock, Journal, LogPosition } from '../seams.ts';
import { manualClock } from './manual-clock.ts';

/** The contents of a build's journal, as the database would hold them. They outlive the walks of the build. */
export interface JournalContents {
  readonly records: Map<string, JsonObject>;
  readonly events: BuildEvent[];
  readonly keys: Set<string>;
  readonly positions: Map<string, LogPosition>;
  /** The clock that all webs share. */
  readonly clock: Pick<Clock, 'now'>;
}

export function emptyJournal(clock: Pick<Clock, 'now'> = manualClock()): JournalContents {
  return { records: new Map(), events: [], keys: new Set(), positions: new Map(), clock };
}

/** The operation at which a walk's journal breaks. Either the operation is lost, or only its answer. */
export interface Crash {
  readonly at: number;
  readonly lose: 'operation' | 'answer';
}

export interface MemoryJournal extends Journal {
  /** How many operations there were. */
  operations(): number;
  crashed(): boolean;
}

/** A journal in memory. After its crash every operation fails; open another journal on the same contents. */
export function memoryJournal(contents: JournalContents, crash?: Crash): MemoryJournal {
  let operations = 0;
  let crashed = false;

  async function operate<T>(operation: () => T): Promise<T> {
    await Promise.resolve();
    if (crashed) throw new Error('used after the crash');
    const here = crash !== undefined && operations === crash.at;
    operations++;
    if (here) crashed = true;
    if (here && crash.lose === 'operation') throw new Error('crash');
    const answer = structuredClone(operation());
    if (here) throw new Error('crash');
    return answer;
  }

  return {
    operations: () => operations,
    crashed: () => crashed,
    now: () => operate(() => contents.clock.now().getTime()),
    read: ({ planId, what }) => operate(() => contents.records.get(`${planId} ${what}`)),
    record: ({ planId, what }, value) =>
      operate(() => {
        const key = `${planId} ${what}`;
        if (!contents.records.has(key)) contents.records.set(key, JSON.parse(JSON.stringify(value)));
        return contents.records.get(key) as JsonObject;
      }),
    emit: (key, event) =>
      operate(() => {
        if (contents.keys.has(key)) return;
        contents.keys.add(key);
        contents.events.push(structuredClone(event));
      }),
    appendLog: (planId, events, position) =>
      operate(() => {
        contents.events.push(...structuredClone(events));
        contents.positions.set(planId, position);
      }),
    logPosition: (planId) => operate(() => contents.positions.get(planId) ?? { stdout: 0, stderr: 0 }),
  };
}
