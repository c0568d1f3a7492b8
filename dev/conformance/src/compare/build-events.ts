import { PlanPlaces } from './plan-places.ts';
import { inSameForm, sameText } from './same-form.ts';

/** One event of a build as both servers send it. */
export interface BuildEvent {
  readonly event: string;
  readonly version: string;
  readonly data: EventData;
}

interface EventData {
  readonly origin?: { readonly id?: string; readonly source?: string };
  readonly payload?: string;
  readonly [field: string]: unknown;
}

/** What a build said, in a form that two servers can agree on. */
export interface ComparableEvents {
  /** The events of each step by its place in the plan, in their order, without output. */
  readonly steps: Readonly<Record<string, readonly unknown[]>>;
  /** What each step printed, by place and stream. The two streams of a process have no order between them. */
  readonly output: Readonly<Record<string, string>>;
  /** All events in their order, by name and place; left out where steps run side by side. */
  readonly order?: readonly string[];
}

/**
 * Events that only one of the two sends by design: docs/users/differences.md, "Steps and checks". A step that waits says
 * so in its log instead.
 */
const NOT_COMPARED = new Set(['waiting-for-worker', 'streaming-volume', 'waiting-for-streamed-volume']);
const SIDE_BY_SIDE = /"(in_parallel|across)":/;

/** The events of a finished build, from the text of its event stream. */
export function parseEventStream(text: string): BuildEvent[] {
  const events: BuildEvent[] = [];
  for (const block of text.split('\n\n')) {
    const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
    const field = (name: string) => fields.find((found) => found?.[1] === name)?.[2];
    if (field('event') === 'event') events.push(JSON.parse(field('data') ?? 'null') as BuildEvent);
  }
  return events;
}

export function comparableEvents(plan: unknown, events: readonly BuildEvent[]): ComparableEvents {
  const places = new PlanPlaces();
  places.add(plan);
  const steps: Record<string, unknown[]> = {};
  const output: Record<string, string> = {};
  const order: string[] = [];
  for (const { event, version, data } of events) {
    if (NOT_COMPARED.has(event)) continue;
    const id = data.origin?.id;
    if (id && 'plan' in data) places.addDynamic(id, event, data['plan']);
    const place = id ? places.placeOf(id) : 'build';
    if (event === 'log') {
      const stream = `${place} ${data.origin?.source ?? 'no source'}`;
      output[stream] = (output[stream] ?? '') + data.payload;
      continue;
    }
    steps[place] = [...(steps[place] ?? []), { event, version, data: inSameForm(data, places) }];
    order.push(`${event} ${place}`);
  }
  const texts = Object.fromEntries(Object.entries(output).map(([stream, text]) => [stream, sameText(text)]));
  const sequential = !SIDE_BY_SIDE.test(JSON.stringify(plan));
  return { steps, output: texts, ...(sequential && { order }) };
}
