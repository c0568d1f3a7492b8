import { type ReadonlySignal, signal } from '@preact/signals';
import type { BuildEventAnswer } from '@seaplane/api/answers';
import type { Client } from '../api/client.ts';
import { untilPainted } from '../parts/yield-to-page.ts';
import { EventText } from './event-text.ts';

/** How soon a stream that broke is asked for again. */
const AGAIN_MS = 3_000;

/**
 * The events of a build as they arrive. They wait until somebody takes them, so a page can ask for them before it knows
 * the steps. While events wait, no more are read: a long log comes as fast as the page draws it, and its first lines do
 * not wait for the others. A page that was cut off, or hidden for a while, says which event it saw last, so nothing is
 * lost or doubled. A hidden page has no connection: a browser allows few of them over all its tabs.
 */
export class BuildEvents {
  readonly buildId: number;
  readonly #client: Client;
  readonly #isCut = signal(false);
  /** Whether the connection is lost at the moment. */
  readonly isCut: ReadonlySignal<boolean> = this.#isCut;
  /** Called when events wait that did not before, and when no more will come. */
  onArrival: () => void = () => {};
  #connection: AbortController | undefined;
  #hasEnded = false;
  #lastId: string | undefined;
  #waiting: BuildEventAnswer[] = [];
  #onTaken: () => void = () => {};

  constructor(client: Client, buildId: number) {
    this.#client = client;
    this.buildId = buildId;
    document.addEventListener('visibilitychange', this.#follow);
    this.#follow();
  }

  /** Whether no more events will come: all are here, or nobody wants them. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The events that wait. They wait no longer. */
  take(): readonly BuildEventAnswer[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#onTaken();
    return taken;
  }

  close(): void {
    this.#hasEnded = true;
    document.removeEventListener('visibilitychange', this.#follow);
    this.#disconnect();
  }

  readonly #follow = () => {
    if (document.visibilityState === 'hidden') this.#disconnect();
    else if (!this.#connection && !this.#hasEnded) this.#connect();
  };

  #disconnect(): void {
    this.#connection?.abort();
    this.#connection = undefined;
  }

  #connect(): void {
    const connection = new AbortController();
    this.#connection = connection;
    this.#read(connection.signal).catch(() => {
      if (connection.signal.aborted) return; // nobody wants the stream
      this.#isCut.value = true;
      setTimeout(() => {
        if (!connection.signal.aborted) this.#connect();
      }, AGAIN_MS);
    });
  }

  /** Reads until the last event. Rejects when the stream breaks, and when nobody wants it. */
  async #read(signal: AbortSignal): Promise<void> {
    await this.#readFirst(signal);
    if (this.#hasEnded) return;
    const after = this.#lastId === undefined ? '' : `?after=${this.#lastId}`;
    const body = await this.#client.open(`/api/v1/builds/${this.buildId}/events${after}`, signal);
    this.#isCut.value = false;
    const [reader, decoder, text] = [body.getReader(), new TextDecoder(), new EventText()];
    while (!this.#hasEnded) {
      const { value, done } = await reader.read();
      signal.throwIfAborted();
      if (done) throw new Error('the stream ended before its last event');
      const sent = text.take(decoder.decode(value, { stream: true }));
      const events = sent.filter(({ event }) => event === 'event').map(({ data }) => JSON.parse(data));
      await this.#hear(events, sent.at(-1)?.event === 'end');
    }
  }

  /** Takes the first events if the page asked for them ahead. */
  async #readFirst(signal: AbortSignal): Promise<void> {
    const route = 'GET /api/v1/seaplane/builds/:build/first-events';
    const call = { at: { build: String(this.buildId) } };
    if (this.#lastId !== undefined || !this.#client.hasAsked(route, call)) return;
    const { events, ended } = await this.#client.get(route, call, signal);
    signal.throwIfAborted();
    await this.#hear(events, ended);
    if (ended) return;
    // The rest of a long log would take the processor from the first lines.
    await untilPainted();
    signal.throwIfAborted();
  }

  /** Returns when the events have been taken. */
  async #hear(events: readonly BuildEventAnswer[], isEnd: boolean): Promise<void> {
    this.#lastId = events.at(-1)?.event_id ?? this.#lastId;
    this.#waiting.push(...events);
    if (isEnd) {
      this.close();
      this.onArrival();
      return;
    }
    if (events.length === 0) return;
    const taken = new Promise<void>((resolve) => {
      this.#onTaken = resolve;
    });
    this.onArrival();
    await taken;
  }
}
