/** Calls `onStall` once when `limitMs` have passed since the last beat. Dispose it when the work has ended. */
export class StallGuard {
  readonly #limitMs: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout;

  constructor(limitMs: number, onStall: () => void) {
    this.#limitMs = limitMs;
    this.#onStall = onStall;
    this.#timer = setTimeout(onStall, limitMs);
  }

  /** Something was achieved: the time starts anew. */
  beat(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onStall, this.#limitMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
