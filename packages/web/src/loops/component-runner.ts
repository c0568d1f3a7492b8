import { type Locks, listComponents, type Notifications, recordComponentRuns, registerComponent } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import type pg from 'pg';
import type { Component } from './component.ts';
import { Loop } from './loop.ts';

/** Runs are recorded this often, and pauses are read again in case a notification was lost. */
const SYNC_MS = 5_000;

export interface ComponentRunnerContext {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'tryAcquire'>;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly clock: Clock;
  readonly onError: (error: unknown, what: string) => void;
  readonly syncMs?: number;
}

/**
 * Runs components: each in a loop of its own, woken by its channels, under its lock, unless it is paused.
 *
 * A look costs no query beyond its own and those of its lock. Pauses are kept in memory: a notification on the channel
 * `components` makes the runner read them again, and so does every sync. Runs are collected in memory and recorded by the
 * sync.
 */
export class ComponentRunner implements AsyncDisposable {
  readonly #context: ComponentRunnerContext;
  readonly #loops = new Map<Component, Loop>();
  readonly #running = new Map<Component, AsyncDisposable>();
  readonly #paused: Set<string>;
  /** When listed components last ran, of those not yet recorded. */
  readonly #ranAt = new Map<string, number>();
  readonly #parts = new AsyncDisposableStack();

  private constructor(context: ComponentRunnerContext, components: readonly Component[], paused: Set<string>) {
    this.#context = context;
    this.#paused = paused;
    const { clock, onError, notifications, syncMs: intervalMs = SYNC_MS } = context;
    for (const component of components) this.run(component);
    const sync = new Loop({ name: 'components', clock, intervalMs, onError, look: () => this.#sync() });
    this.#parts.use(sync);
    this.#parts.use(notifications.subscribe('components', () => sync.wake()));
  }

  /** Registers the listed components, then starts a loop for each one. */
  static async start(context: ComponentRunnerContext, components: readonly Component[]): Promise<ComponentRunner> {
    const paused = new Set<string>();
    for (const { name, intervalMs, listed } of components) {
      if (listed === false) continue;
      if ((await registerComponent(context.pool, name, intervalMs)).paused) paused.add(name);
    }
    return new ComponentRunner(context, components, paused);
  }

  /** Stops every loop. Work that a look has left running is not waited for. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
    await Promise.all([...this.#running.values()].map((each) => each[Symbol.asyncDispose]()));
  }

  /** Runs a component that is not listed, until it is disposed of, or this runner is. */
  run(component: Component): AsyncDisposable {
    const { clock, onError, notifications } = this.#context;
    const { name, instance, channels, intervalMs, restMs = 0 } = component;
    const loop = new Loop({
      name: instance === undefined ? name : `${name} of ${instance}`,
      clock,
      intervalMs,
      restMs,
      onError,
      look: (signal) => this.#look(component, signal),
    });
    const subscriptions = channels.map((channel) =>
      notifications.subscribe(channel, (payload) => {
        if (instance === undefined || payload === undefined || payload === instance) loop.wake();
      }),
    );
    this.#loops.set(component, loop);
    const running = {
      [Symbol.asyncDispose]: async () => {
        for (const subscription of subscriptions) subscription[Symbol.dispose]();
        this.#loops.delete(component);
        this.#running.delete(component);
        await loop[Symbol.asyncDispose]();
      },
    };
    this.#running.set(component, running);
    return running;
  }

  async #look(component: Component, signal: AbortSignal): Promise<number | undefined> {
    const { name, lock: kind, look, lookPaused } = component;
    const wake = () => this.#loops.get(component)?.wake();
    if (this.#paused.has(name)) return lookPaused?.(signal, wake);
    if (kind === 'none') {
      const again = await look(signal, wake);
      this.#noteRun(component);
      return again;
    }
    await using lock = await this.#context.locks.tryAcquire('component', name);
    if (!lock) return undefined;
    const again = await look(AbortSignal.any([signal, lock.lost]), wake);
    this.#noteRun(component);
    return again;
  }

  #noteRun({ name, listed }: Component): void {
    if (listed !== false) this.#ranAt.set(name, this.#context.clock.elapsedMs());
  }

  async #sync(): Promise<undefined> {
    const { pool, clock } = this.#context;
    const ran = new Map(this.#ranAt);
    const now = clock.elapsedMs();
    if (ran.size > 0) await recordComponentRuns(pool, new Map([...ran].map(([name, at]) => [name, now - at])));
    for (const [name, at] of ran) if (this.#ranAt.get(name) === at) this.#ranAt.delete(name);
    for (const { name, paused } of await listComponents(pool)) this.#setPaused(name, paused);
    return undefined;
  }

  #setPaused(name: string, paused: boolean): void {
    if (paused === this.#paused.has(name)) return;
    if (paused) this.#paused.add(name);
    else this.#paused.delete(name);
    for (const [component, loop] of this.#loops) if (component.name === name) loop.wake();
  }
}
