import type { BuildEvent } from '../events.ts';
import { shortEvents, type TestBuild } from './walk.ts';

/** The visible history of a build. It must be the same however often the build was interrupted. */
export interface History {
  readonly status: string;
  /** All events in order, with the pieces of output joined. */
  readonly events: readonly string[];
  /** The same by step, for builds whose steps run side by side. */
  readonly eventsOfSteps: Readonly<Record<string, readonly string[]>>;
  readonly started: readonly string[];
  readonly saved: readonly string[];
}

export function historyOf({ contents, world }: TestBuild, status: string): History {
  const joined = joinOutput(contents.events);
  const eventsOfSteps = Object.groupBy(joined, (event) => event.slice(0, event.indexOf(' '))) as Record<
    string,
    string[]
  >;
  return { status, events: joined, eventsOfSteps, started: [...world.started].sort(), saved: [...world.saved].sort() };
}

/** Joins consecutive pieces of output of one stream of a step. */
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
