import { type ReadonlySignal, signal } from '@preact/signals';
import type { BuildEventAnswer, BuildPlanAnswer } from '@seaplane/api/answers';
import type { BuildStatus } from '@seaplane/engine/events';
import { yieldToPage } from '../parts/yield-to-page.ts';
import { applyEvent, type BuildSteps } from './apply-event.ts';
import type { BuildEvents } from './build-events.ts';
import { stepsOf } from './steps.ts';

/** A page is painted at most this often, however fast a program prints. */
const PAINT_MS = 100;
/** Events are applied for so long at once, so that the page answers its user in between. */
const SLICE_MS = 8;

/** The steps of a build as its events arrive. `revision` grows with each change. */
export class BuildStream {
  readonly steps: BuildSteps;
  readonly #revision = signal(0);
  readonly revision: ReadonlySignal<number> = this.#revision;
  /** Whether the connection is lost at the moment. */
  readonly isCut: ReadonlySignal<boolean>;
  readonly #isComplete = signal(false);
  /** Whether the build has ended, and all its events are here. */
  readonly isComplete: ReadonlySignal<boolean> = this.#isComplete;
  readonly #events: BuildEvents;
  readonly #onStatus: (status: BuildStatus) => void;
  #isApplying = false;
  #lastPaint = Number.NEGATIVE_INFINITY;
  #nextPaint: ReturnType<typeof setTimeout> | undefined;

  /** Takes the events, and closes them when it is closed. `onStatus` is called when an event has changed the status. */
  constructor(events: BuildEvents, { plan }: BuildPlanAnswer, onStatus: (status: BuildStatus) => void) {
    const index = new Map();
    this.steps = { root: stepsOf(plan, index), index, status: undefined };
    this.isCut = events.isCut;
    this.#events = events;
    this.#onStatus = onStatus;
    events.onArrival = () => this.#startApplying();
    this.#startApplying();
  }

  close(): void {
    clearTimeout(this.#nextPaint);
    this.#events.onArrival = () => {};
    this.#events.close();
  }

  #startApplying(): void {
    if (this.#isApplying) return;
    this.#isApplying = true;
    void this.#apply();
  }

  /** Applies the events that wait, a slice at a time. */
  async #apply(): Promise<void> {
    const before = this.steps.status;
    // The steps and their first lines are drawn in tasks of their own, so that each is short.
    await yieldToPage();
    for (let events = this.#events.take(); events.length > 0; events = this.#events.take()) {
      for (let next = 0; next < events.length; ) {
        const until = performance.now() + SLICE_MS;
        for (; next < events.length && performance.now() < until; next++) {
          applyEvent(this.steps, events[next] as BuildEventAnswer);
        }
        this.#paintSoon();
        await yieldToPage();
      }
    }
    this.#isApplying = false;
    if (this.#events.hasEnded) {
      this.#paint();
      this.#isComplete.value = true;
    }
    const { status } = this.steps;
    if (status !== undefined && status !== before) this.#onStatus(status);
  }

  /** Paints at once after a rest. */
  #paintSoon(): void {
    const left = this.#lastPaint + PAINT_MS - performance.now();
    if (left <= 0) this.#paint();
    else this.#nextPaint ??= setTimeout(() => this.#paint(), left);
  }

  #paint(): void {
    clearTimeout(this.#nextPaint);
    this.#nextPaint = undefined;
    this.#lastPaint = performance.now();
    this.#revision.value += 1;
  }
}
