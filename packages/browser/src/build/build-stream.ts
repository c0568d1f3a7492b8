import { type ReadonlySignal, signal } from '@preact/signals';
import type { BuildEventAnswer, BuildPlanAnswer } from '@seaplane/api/answers';
import { yieldToPage } from '../parts/yield-to-page.ts';
import { applyEvent, type BuildSteps } from './apply-event.ts';
import { stepsOf } from './steps.ts';

/** A page is painted at most this often, however fast a program prints. */
const PAINT_MS = 100;
/** Events are applied for so long at once, so that the page answers its user in between. */
const SLICE_MS = 8;
const REFUSED_MS = 5_000;

/**
 * The steps of a build as its events arrive. `revision` grows with each change. A page that was cut off, or hidden for a
 * while, says which event it saw last, so nothing is lost or doubled. A hidden page has no connection: a browser allows
 * few of them over all its tabs.
 */
export class BuildStream {
  readonly steps: BuildSteps;
  readonly #revision = signal(0);
  readonly revision: ReadonlySignal<number> = this.#revision;
  readonly #isCut = signal(false);
  /** Whether the connection is lost at the moment. */
  readonly isCut: ReadonlySignal<boolean> = this.#isCut;
  readonly #isComplete = signal(false);
  /** Whether the build has ended, and all its events are here. */
  readonly isComplete: ReadonlySignal<boolean> = this.#isComplete;
  readonly #address: string;
  readonly #onStatus: () => void;
  #source: EventSource | undefined;
  #hasEnded = false;
  #lastId: string | undefined;
  #waiting: string[] = [];
  #isApplying = false;
  #lastPaint = 0;

  constructor(buildId: number, { plan }: BuildPlanAnswer, onStatus: () => void) {
    const index = new Map();
    this.steps = { root: stepsOf(plan, index), index, status: undefined };
    this.#onStatus = onStatus;
    this.#address = `/api/v1/builds/${buildId}/events`;
    document.addEventListener('visibilitychange', this.#follow);
    this.#follow();
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
    const source = new EventSource(this.#address + after);
    this.#source = source;
    source.addEventListener('event', ({ data, lastEventId }) => {
      this.#lastId = lastEventId;
      this.#waiting.push(data as string);
      if (this.#isApplying) return;
      this.#isApplying = true;
      void this.#apply();
    });
    source.addEventListener('end', () => {
      this.close();
      if (!this.#isApplying) this.#paint();
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

  /** Applies the events that wait, a slice at a time. */
  async #apply(): Promise<void> {
    let hasStatus = false;
    // The browser hands over many events in one task; the page answers its user before they are applied.
    await yieldToPage();
    for (let next = 0; next < this.#waiting.length; ) {
      const until = performance.now() + SLICE_MS;
      while (next < this.#waiting.length && performance.now() < until) {
        const event = JSON.parse(this.#waiting[next++] ?? '') as BuildEventAnswer;
        applyEvent(this.steps, event);
        hasStatus ||= event.event === 'status';
      }
      if (next === this.#waiting.length) {
        this.#waiting = [];
        next = 0;
      }
      if (performance.now() - this.#lastPaint >= PAINT_MS) {
        await yieldToPage();
        this.#paint();
      }
      await yieldToPage();
    }
    this.#isApplying = false;
    this.#paintSoon();
    if (hasStatus) this.#onStatus();
  }

  #paintSoon(): void {
    const left = this.#lastPaint + PAINT_MS - performance.now();
    if (left <= 0 || this.#hasEnded) this.#paint();
    else
      setTimeout(() => {
        if (!this.#isApplying) this.#paint();
      }, left);
  }

  #paint(): void {
    this.#lastPaint = performance.now();
    this.#revision.value += 1;
    if (this.#hasEnded && this.#waiting.length === 0) this.#isComplete.value = true;
  }
}
