import { createHash } from 'node:crypto';
import type { BuildEvent, EventData, EventType } from '../events.ts';
import type { Clock } from '../seams.ts';
import type { BuildWalk } from '../walk/build-walk.ts';

/** Writes the events of one step. Each kind of event occurs once in a step, so a later walk writes none twice. */
export interface StepEvents {
  emit<T extends EventType>(event: T, data: Omit<EventData[T], 'origin' | 'time'>): Promise<void>;
  /** Writes a line of the engine's own to the step's log, redacted. Each line is written once. */
  writeLine(source: 'stdout' | 'stderr', text: string): Promise<void>;
}

export function stepEvents({ seams, secrets }: Pick<BuildWalk, 'seams' | 'secrets'>, planId: string): StepEvents {
  const { clock, journal } = seams;
  return {
    emit: (event, data) =>
      journal.emit(`${planId}/${event}`, {
        event,
        data: { ...data, origin: { id: planId }, ...timeOf(event, clock) },
      } as unknown as BuildEvent),
    // The key is the text before redaction: another walk may know more secrets.
    writeLine: (source, text) =>
      journal.emit(`${planId}/line/${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, {
        event: 'log',
        data: { payload: `${secrets.redact(text)}\n`, origin: { id: planId, source }, time: seconds(clock) },
      }),
  };
}

/** One kind of event carries no time. */
function timeOf(event: EventType, clock: Clock): { time?: number } {
  return event === 'set-pipeline-changed' ? {} : { time: seconds(clock) };
}

/** The time in events is in whole seconds. */
export function seconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000);
}
