import type { BuildEvent } from '../events.ts';
import { shortEvents, type TestBuild } from './walk.ts';

/** What can be told of a build afterwards, and must be the same however often it was interrupted. */
export interface Told {
  readonly status: string;
  /** All events in order; how output was cut into pieces does not count. */
  readonly events: readonly string[];
  /** The same by step, for builds whose steps run side by side. */
  readonly eventsOfSteps: Readonly<Record<string, readonly string[]>>;
  readonly started: readonly string[];
  readonly saved: readonly string[];
}

export function told({ contents, world }: TestBuild, status: string): Told {
  const joined = joinOutput(contents.events);
  const eventsOfSteps = Object.groupBy(joined, (event) => event.slice(0, event.indexOf(' '))) as Record<
    string,
    string[]
  >;
  return { status, events: joined, eventsOfSteps, started: [...world.started].sort(), saved: [...world.saved].sort() };
}

/** Pieces of output of one stream, one after another in its step, are one. */
function joinOutput(events: readonly BuildEvent[]): string[] {
  const joined: BuildEvent[] = [];
  for (const next of events) {
    const last = joined.findLastIndex(({ data }) => sameStep(data, next.data));
    const before = joined[last];
    if (next.event === 'log' && before?.event === 'log' && next.data.origin.source === before.data.origin.source) {
      const payload = before.data.payload + next.data.payload;
      joined[last] = { event: 'log', data: { ...before.data, payload } };
    } else joined.push(next);
  }
  return shortEvents(joined);
}

function sameStep(a: object, b: object): boolean {
  const origin = (data: object) => (data as { origin?: { id: string } }).origin?.id;
  return origin(a) === origin(b);
}
