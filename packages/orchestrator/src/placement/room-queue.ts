import type { Clock } from '@seaplane/engine';
import { ChangeSignal } from '../change-signal.ts';
import { HostError } from '../host/host-error.ts';
import type { SandboxWatch } from '../host/sandbox-watch.ts';

/** A full host is asked again after this time, though it has reported no room: its report may be lost. */
const ASK_AGAIN_MS = 30_000;
/** A step that has just ended is giving back its room. It is worth a moment, in which nothing is reported or removed. */
const MOMENT_MS = 2_000;

export interface Entrance {
  /** Makes the sandbox. Throws a `HostError` with the code `quota` if the host is full. */
  readonly attempt: () => Promise<void>;
  /** Called when the host is full, with its refusal; without one if other steps wait already. Makes room, if it can. */
  readonly onFull: (refusal?: HostError) => Promise<void>;
  /** How long to wait in all. In milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly deadline: number;
  /** How often the host had got room when this waiter last asked it. Undefined: it has not asked. */
  asked: number | undefined;
  refusal?: HostError;
}

/**
 * Steps of this web that wait until a host has room, in the order in which they came. Only the first one asks the host:
 * once for each time that the host may have got room, and otherwise every half minute. So a full host is not asked in vain
 * by all of them, and small steps do not overtake a large one for ever.
 */
export class RoomQueue {
  readonly #clock: Clock;
  readonly #line: Waiter[] = [];
  /** How often the host may have got room. */
  #freed = 0;
  readonly #changes: ChangeSignal;

  constructor(watch: Pick<SandboxWatch, 'onRoom'>, clock: Clock) {
    this.#clock = clock;
    this.#changes = new ChangeSignal(clock);
    watch.onRoom(() => {
      this.#freed++;
      this.#changes.announce();
    });
  }

  /** Returns when an attempt has succeeded. Throws any error but that of a full host, and that one after `waitMs`. */
  async enter(entrance: Entrance): Promise<void> {
    const { signal, onFull, waitMs } = entrance;
    const waiter: Waiter = { deadline: this.#clock.elapsedMs() + waitMs, asked: undefined };
    if (this.#line.length === 0 && (await this.#ask(waiter, entrance))) return;
    this.#line.push(waiter);
    try {
      if (!waiter.refusal || !(await this.#untilTurn(waiter, MOMENT_MS, signal))) await onFull(waiter.refusal);
      for (;;) {
        const turn = await this.#untilTurn(waiter, ASK_AGAIN_MS, signal);
        if (!turn && this.#line[0] !== waiter && this.#left(waiter) > 0) continue;
        if (await this.#ask(waiter, entrance)) return;
        if (this.#left(waiter) <= 0) throw waitedTooLong(waiter, waitMs);
        await onFull(waiter.refusal);
      }
    } finally {
      this.#line.splice(this.#line.indexOf(waiter), 1);
      this.#changes.announce();
    }
  }

  /** Returns false if the host is full. */
  async #ask(waiter: Waiter, { attempt, signal }: Entrance): Promise<boolean> {
    signal.throwIfAborted();
    waiter.asked = this.#freed;
    try {
      await attempt();
      return true;
    } catch (error) {
      if (!(error instanceof HostError && error.code === 'quota')) throw error;
      waiter.refusal = error;
      return false;
    }
  }

  /** Returns true when the waiter is the first and the host may have got room; false when this much time has passed. */
  async #untilTurn(waiter: Waiter, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    const until = Math.min(this.#clock.elapsedMs() + patienceMs, waiter.deadline);
    for (;;) {
      if (this.#line[0] === waiter && waiter.asked !== this.#freed) return true;
      const left = until - this.#clock.elapsedMs();
      if (left <= 0) return false;
      await this.#changes.within(this.#changes.next(), left, signal);
    }
  }

  #left({ deadline }: Waiter): number {
    return deadline - this.#clock.elapsedMs();
  }
}

function waitedTooLong({ refusal }: Waiter, waitMs: number): HostError {
  const message = `no room after ${Math.round(waitMs / 1000)} seconds: ${refusal?.message}`;
  return new HostError('quota', message, { cause: refusal });
}
