import { createHash } from 'node:crypto';
import type { BuildEvent, EventData, EventType } from '../events.ts';
import type { Clock } from '../seams.ts';
import type { BuildWalk } from '../walk/build-walk.ts';

/** Writes the events of one step. Each kind of event happens once in a step, so a later walk writes none twice. */
export interface StepEvents {
  emit<T extends EventType>(event: T, data: Omit<EventData[T], 'origin' | 'time'>): Promise<void>;
  /** A line of our own in the step's log, redacted. The same line is written once. */
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
    // Known by its text before it is redacted: another walk may know more secrets by then.
    writeLine: (source, text) =>
      journal.emit(`${planId}/line/${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, {
        event: 'log',
        data: { payload: `${secrets.redact(text)}\n`, origin: { id: planId, source }, time: seconds(clock) },
      }),
  };
}

/** The one event that carries no time. */
function timeOf(event: EventType, clock: Clock): { time?: number } {
  return event === 'set-pipeline-changed' ? {} : { time: seconds(clock) };
}

/** Events count in whole seconds. */
export function seconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000);
}
