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
  #lastPaint = 0;

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
    // The browser hands over many events in one task; the page answers its user before they are applied.
    await yieldToPage();
    let events = this.#events.take();
    if (events.length === 0 && !this.#events.hasEnded) {
      this.#isApplying = false;
      return;
    }
    for (; events.length > 0; events = this.#events.take()) {
      for (let next = 0; next < events.length; ) {
        const until = performance.now() + SLICE_MS;
        while (next < events.length && performance.now() < until) {
          applyEvent(this.steps, JSON.parse(events[next++] ?? '') as BuildEventAnswer);
        }
        if (performance.now() - this.#lastPaint >= PAINT_MS) {
          await yieldToPage();
          this.#paint(false);
        }
        await yieldToPage();
      }
    }
    this.#isApplying = false;
    this.#paintSoon();
    const { status } = this.steps;
    if (status !== undefined && status !== before) this.#onStatus(status);
  }

  #paintSoon(): void {
    const left = this.#lastPaint + PAINT_MS - performance.now();
    if (left <= 0 || this.#events.hasEnded) this.#paint(true);
    else
      setTimeout(() => {
        if (!this.#isApplying) this.#paint(true);
      }, left);
  }

  #paint(isAllApplied: boolean): void {
    this.#lastPaint = performance.now();
    this.#revision.value += 1;
    if (isAllApplied && this.#events.hasEnded) this.#isComplete.value = true;
  }
}
