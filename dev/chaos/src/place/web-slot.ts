import { setTimeout as sleep } from 'node:timers/promises';
import { RunningWeb, type WebOptions } from '@seaplane/web/testing';

/** Moves a web's clock an hour ahead, and back again the next time. */
export const MOVE_SIGNAL = 'SIGUSR2';
/** Lets a web measure that an hour has passed. */
export const HOUR_SIGNAL = 'SIGURG';
const CLOCK = new URL('./movable-clock.ts', import.meta.url).href;

/** One of the webs: killed and started again, as a Deployment would do it. */
export class WebSlot implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly #options: WebOptions;
  readonly #stop = new AbortController();
  #web: RunningWeb | undefined;
  #starting: Promise<void> | undefined;
  #wasReady = false;
  #logs = '';
  readonly #accidents: string[] = [];

  constructor(name: string, options: WebOptions) {
    this.name = name;
    this.#options = options;
    this.url = `http://localhost:${options.port}`;
  }

  /** Everything that this web has logged, in all its lives. */
  get log(): string {
    return this.#logs + (this.#web?.output ?? '');
  }

  /** Ends of web that nobody caused. */
  get accidents(): readonly string[] {
    const { exit } = this.#web ?? {};
    return exit ? [...this.#accidents, `${this.name} ended by itself: ${JSON.stringify(exit)}`] : this.#accidents;
  }

  /** Starts it unless it runs, again and again until it is ready. */
  start(): Promise<void> {
    this.#starting ??= this.#startUntilReady().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Returns false if it does not run. */
  async kill(): Promise<boolean> {
    const web = this.#web;
    if (!web) return false;
    this.#accidents.push(...(web.exit ? [`${this.name} ended by itself: ${JSON.stringify(web.exit)}`] : []));
    this.#web = undefined;
    await web.kill('SIGKILL');
    this.#logs += web.output;
    return true;
  }

  /** Returns false if it does not run. */
  signal(name: NodeJS.Signals): boolean {
    this.#web?.signal(name);
    return this.#web !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#starting?.catch(() => {});
    this.signal('SIGCONT');
    await this.#web?.kill('SIGTERM');
  }

  async #startUntilReady(): Promise<void> {
    while (!this.#web && !this.#stop.signal.aborted) {
      try {
        this.#web = await RunningWeb.start({ ...this.#options, nodeFlags: ['--import', CLOCK] });
        this.#wasReady = true;
      } catch (error) {
        if (!this.#wasReady) throw error; // no fault has happened yet: web cannot run here at all
        this.#logs += `${(error as Error).message}\n`;
        await sleep(500); // a Deployment waits longer
      }
    }
  }
}
