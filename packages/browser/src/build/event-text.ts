/** One event of a stream: its number, its kind, and its data as JSON text. */
export interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Splits the text of an event stream, which may be cut anywhere, into its events. */
export class EventText {
  #rest = '';

  /** Takes the next piece of the text. Returns the events that end in it. */
  take(piece: string): readonly SentEvent[] {
    const text = this.#rest + piece;
    const events: SentEvent[] = [];
    let at = 0;
    // The rest has no end of an event, but may have the first half of one.
    let end = text.indexOf('\n\n', Math.max(0, this.#rest.length - 1));
    for (; end >= 0; end = text.indexOf('\n\n', at)) {
      events.push(eventOf(text.slice(at, end)));
      at = end + 2;
    }
    this.#rest = text.slice(at);
    return events;
  }
}

function eventOf(text: string): SentEvent {
  const fields: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return { id: fields.id ?? '', event: fields.event ?? '', data: fields.data ?? '' };
}
