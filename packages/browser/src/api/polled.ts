import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { RefusedError } from './client.ts';

const INTERVAL_MS = 5_000;

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

/**
 * Asks the server every five seconds while the page is visible and used, and at once when it becomes visible again.
 * `key` says what `load` asks for: another key starts anew.
 */
export function usePolled<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Polled<T> {
  // The key stands for what load asks for.
  const poller = useMemo(() => new Poller(load), [key]);
  useEffect(() => {
    poller.start();
    return () => poller.stop();
  }, [poller]);
  return poller;
}

class Poller<T> implements Polled<T> {
  readonly loaded = signal<Loaded<T>>({});
  readonly #load: (signal: AbortSignal) => Promise<T>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load;
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisible);
    this.refresh();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisible);
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    void this.#ask(running.signal);
  }

  readonly #onVisible = () => {
    if (document.visibilityState === 'visible') this.refresh();
    else clearTimeout(this.#timer);
  };

  async #ask(signal: AbortSignal): Promise<void> {
    try {
      const value = await this.#load(signal);
      if (signal.aborted) return;
      const before = this.loaded.value;
      if (before.value !== value || before.error) this.loaded.value = { value };
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof RefusedError ? error : new RefusedError(0, String(error));
      this.loaded.value = { ...this.loaded.value, error: refused };
    }
    if (document.visibilityState === 'visible') this.#timer = setTimeout(() => this.refresh(), INTERVAL_MS);
  }
}
