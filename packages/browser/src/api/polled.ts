import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { LiveAnswer } from '@seaplane/api/answers';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { Live } from '../live/live.ts';
import { delayAfterChange, intervalFor } from '../live/refresh-plan.ts';
import { useSession } from '../session/session.ts';
import { RefusedError } from './client.ts';

/** A value from the server: not there yet, there, or there and perhaps old because the last request failed. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: RefusedError;
}

export interface Polled<T> {
  readonly loaded: ReadonlySignal<Loaded<T>>;
  /** Asks again now, for example after a change. */
  refresh(): void;
}

/** Which announced changes are about a value. A value without this is asked for every five seconds. */
export interface Follows<T> {
  /** Whether a change of these places may have changed the value. `all` is handled already. */
  readonly isAbout: (change: LiveAnswer, value: T) => boolean;
  /** Whether the value changes in ways that nobody announces. It is then asked for every five seconds. */
  readonly isMoving?: (value: T) => boolean;
}

/**
 * Asks for a value. `show` takes what is there before the whole value is. It counts only for the first value: later ones
 * replace one that is whole.
 */
export type Load<T> = (signal: AbortSignal, show: (part: T) => void) => Promise<T>;

/**
 * A value that is kept fresh while the page is visible: it is asked for when a change of it is announced, and every five
 * seconds if changes are not announced or the stream of changes is cut. `key` says what `load` asks for: another key
 * starts anew.
 */
export function usePolled<T>(key: string, load: Load<T>, follows?: Follows<T>): Polled<T> {
  const { live } = useSession();
  // The key stands for what load asks for.
  const poller = useMemo(() => new Poller(load, live, follows), [key]);
  // Before the page is painted: the answer is under way meanwhile.
  useLayoutEffect(() => {
    poller.start();
    return () => poller.stop();
  }, [poller]);
  return poller;
}

class Poller<T> implements Polled<T> {
  readonly loaded = signal<Loaded<T>>({});
  readonly #load: Load<T>;
  readonly #live: Live;
  readonly #follows: Follows<T> | undefined;
  #ends: readonly (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;
  /** A change came while a request was under way. */
  #isStale = false;
  #lastStart = 0;
  #lastTookMs = 0;

  constructor(load: Load<T>, live: Live, follows: Follows<T> | undefined) {
    this.#load = load;
    this.#live = live;
    this.#follows = follows;
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#ends = [
      this.#live.subscribe((change) => this.#hear(change)),
      // A stream that is cut must not leave a page waiting for its long interval.
      effect(() => {
        if (this.#live.state.value === 'cut' && !this.#running) this.#sleep();
      }),
    ];
    this.refresh();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisible);
    for (const end of this.#ends) end();
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#isStale = false;
    void this.#ask(running.signal);
  }

  readonly #onVisible = () => {
    if (document.visibilityState === 'visible') this.refresh();
    else clearTimeout(this.#timer);
  };

  #hear(change: LiveAnswer): void {
    const { value } = this.loaded.peek();
    const isAbout = change.all || value === undefined || this.#follows?.isAbout(change, value);
    if (!this.#follows || !isAbout) return;
    if (this.#running) this.#isStale = true;
    else this.#refreshSoon();
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    const delay = delayAfterChange(performance.now(), this.#lastStart, this.#lastTookMs);
    this.#timer = setTimeout(() => this.refresh(), delay);
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    if (document.visibilityState !== 'visible') return;
    const { value } = this.loaded.peek();
    const isMoving = value === undefined || this.#follows?.isMoving?.(value) === true;
    const isLive = this.#follows !== undefined && this.#live.state.peek() === 'live';
    this.#timer = setTimeout(() => this.refresh(), intervalFor(isLive, isMoving));
  }

  async #ask(signal: AbortSignal): Promise<void> {
    this.#lastStart = performance.now();
    try {
      const value = await this.#load(signal, (part) => {
        if (!signal.aborted && this.loaded.value.value === undefined) this.loaded.value = { value: part };
      });
      if (signal.aborted) return;
      const before = this.loaded.value;
      if (before.value !== value || before.error) this.loaded.value = { value };
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof RefusedError ? error : new RefusedError(0, String(error));
      this.loaded.value = { ...this.loaded.value, error: refused };
    }
    this.#running = undefined;
    this.#lastTookMs = performance.now() - this.#lastStart;
    if (this.#isStale && this.loaded.value.error === undefined) this.#refreshSoon();
    else this.#sleep();
  }
}
