import { type ReadonlySignal, signal } from '@preact/signals';
import type { LiveAnswer } from '@seaplane/api/answers';

/** How soon a refused connection is tried again. The browser itself repeats one that broke. */
const REFUSED_MS = 5_000;

export type LiveState =
  /** Not connected yet, or the page is hidden. */
  | 'waiting'
  | 'live'
  /** Was connected, or tried to be. */
  | 'cut';

/**
 * The stream of changes from the server: one for each page, while somebody looks at it. A browser allows few connections
 * to a server over all its tabs, so a hidden page has none. Every connection starts with a change of everything.
 */
export class Live {
  readonly #state = signal<LiveState>('waiting');
  readonly state: ReadonlySignal<LiveState> = this.#state;
  readonly #listeners = new Set<(change: LiveAnswer) => void>();
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    document.addEventListener('visibilitychange', () => this.#follow());
    this.#follow();
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (change: LiveAnswer) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #follow(): void {
    if (document.visibilityState === 'visible') {
      if (!this.#source) this.#open();
      return;
    }
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
    this.#state.value = 'waiting';
  }

  #open(): void {
    const source = new EventSource('/api/v1/seaplane/live');
    this.#source = source;
    source.addEventListener('changed', ({ data }) => {
      this.#state.value = 'live';
      const change = JSON.parse(data) as LiveAnswer;
      for (const listener of this.#listeners) listener(change);
    });
    source.addEventListener('error', () => {
      this.#state.value = 'cut';
      if (source.readyState !== EventSource.CLOSED) return;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => {
        if (this.#source === source) this.#open();
      }, REFUSED_MS);
    });
  }
}
