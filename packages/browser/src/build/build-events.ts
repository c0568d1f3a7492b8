import { type ReadonlySignal, signal } from '@preact/signals';

const REFUSED_MS = 5_000;

/**
 * The events of a build as they arrive, as JSON texts that wait until somebody takes them. So a page can ask for them before
 * it knows the steps. A page that was cut off, or hidden for a while, says which event it saw last, so nothing is lost or
 * doubled. A hidden page has no connection: a browser allows few of them over all its tabs.
 */
export class BuildEvents {
  readonly buildId: number;
  readonly #isCut = signal(false);
  /** Whether the connection is lost at the moment. */
  readonly isCut: ReadonlySignal<boolean> = this.#isCut;
  /** Called when events wait that did not before, and when no more will come. */
  onArrival: () => void = () => {};
  #source: EventSource | undefined;
  #hasEnded = false;
  #lastId: string | undefined;
  #waiting: string[] = [];

  constructor(buildId: number) {
    this.buildId = buildId;
    document.addEventListener('visibilitychange', this.#follow);
    this.#follow();
  }

  /** Whether no more events will come: all are here, or nobody wants them. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The events that wait. They wait no longer. */
  take(): readonly string[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  close(): void {
    this.#hasEnded = true;
    document.removeEventListener('visibilitychange', this.#follow);
    this.#disconnect();
  }

  readonly #follow = () => {
    if (document.visibilityState === 'hidden') this.#disconnect();
    else if (!this.#source && !this.#hasEnded) this.#connect();
  };

  #disconnect(): void {
    this.#source?.close();
    this.#source = undefined;
  }

  #connect(): void {
    const after = this.#lastId === undefined ? '' : `?after=${this.#lastId}`;
    const source = new EventSource(`/api/v1/builds/${this.buildId}/events${after}`);
    this.#source = source;
    source.addEventListener('event', ({ data, lastEventId }) => {
      this.#lastId = lastEventId;
      if (this.#waiting.push(data as string) === 1) this.onArrival();
    });
    source.addEventListener('end', () => {
      this.close();
      this.onArrival();
    });
    source.addEventListener('open', () => {
      this.#isCut.value = false;
    });
    source.addEventListener('error', () => {
      this.#isCut.value = true;
      // The browser repeats a connection that broke, but not one that was refused.
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => {
        if (this.#source === source && !this.#hasEnded) this.#connect();
      }, REFUSED_MS);
    });
  }
}
