import { type ReadonlySignal, signal } from '@preact/signals';
import type { BuildEventAnswer, BuildPlanAnswer } from '@seaplane/api/answers';
import { applyEvent, type BuildSteps } from './apply-event.ts';
import { stepsOf } from './steps.ts';

/** A page is painted at most this often, however fast a program prints. A page that is slow to paint waits longer. */
const PAINT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * The steps of a build as its events arrive. `revision` grows with each change. The browser connects again by itself, and
 * says which event it saw last, so nothing is lost or doubled.
 */
export class BuildStream {
  readonly steps: BuildSteps;
  readonly #revision = signal(0);
  readonly revision: ReadonlySignal<number> = this.#revision;
  readonly #isCut = signal(false);
  /** Whether the connection is lost at the moment. */
  readonly isCut: ReadonlySignal<boolean> = this.#isCut;
  readonly #source: EventSource;
  readonly #onStatus: () => void;
  #waiting: BuildEventAnswer[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wait = PAINT_MS;

  constructor(buildId: number, { plan }: BuildPlanAnswer, onStatus: () => void) {
    const index = new Map();
    this.steps = { root: stepsOf(plan, index), index, status: undefined };
    this.#onStatus = onStatus;
    this.#source = new EventSource(`/api/v1/builds/${buildId}/events`);
    this.#source.addEventListener('event', ({ data }) => this.#take(JSON.parse(data) as BuildEventAnswer));
    this.#source.addEventListener('end', () => this.close());
    this.#source.addEventListener('open', () => {
      this.#isCut.value = false;
    });
    this.#source.addEventListener('error', () => {
      this.#isCut.value = true;
    });
  }

  close(): void {
    this.#source.close();
    this.#paint();
  }

  #take(event: BuildEventAnswer): void {
    this.#waiting.push(event);
    this.#timer ??= setTimeout(() => this.#paint(), this.#wait);
  }

  #paint(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length === 0) return;
    const start = performance.now();
    for (const event of events) applyEvent(this.steps, event);
    this.#revision.value += 1;
    // Runs when the page has been drawn: at least half of the time is left to the user.
    setTimeout(() => {
      this.#wait = Math.min(LONGEST_WAIT_MS, Math.max(PAINT_MS, performance.now() - start));
    });
    if (events.some(({ event }) => event === 'status')) this.#onStatus();
  }
}
