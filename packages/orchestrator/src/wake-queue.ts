/** Several producers put items in; one loop takes them out, in order, and waits while there are none. */
export class WakeQueue<T> {
  readonly #items: T[] = [];
  #wake: () => void = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Yields each item until the signal. Only one loop may drain a queue. */
  async *drain(signal: AbortSignal): AsyncGenerator<T> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const item = this.#items.shift();
        if (item !== undefined) yield item;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}
