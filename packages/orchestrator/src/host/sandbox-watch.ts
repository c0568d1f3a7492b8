import { setTimeout as sleep } from 'node:timers/promises';
import { assertNever } from '@seaplane/config';
import { WakeQueue } from '../wake-queue.ts';
import { withSignal } from '../with-signal.ts';
import { SandboxFailure } from './host-error.ts';
import type { SandboxEvent, SandboxHost, SandboxState } from './sandbox-host.ts';

const RETRY_MS = 1_000;
const SYNC_PATIENCE_MS = 30_000;

/**
 * The state of every sandbox of one host, kept up to date by the host's watch.
 *
 * A handle is unknown until its first event. After a broken watch, known states are kept until the next `synced`; a handle
 * that had no event by then has gone. Each waiter gets every event of its handle.
 */
export class SandboxWatch implements AsyncDisposable {
  readonly #host: SandboxHost;
  readonly #states = new Map<string, SandboxState>();
  readonly #listeners = new Map<string, Set<(event: SandboxEvent) => void>>();
  readonly #roomListeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #onError: (error: unknown) => void;
  readonly #loop: Promise<void>;
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;

  constructor(host: SandboxHost, onError: (error: unknown) => void) {
    this.#host = host;
    this.#onError = onError;
    this.#loop = this.#run();
  }

  /** Every sandbox that the watch has reported. */
  states(): ReadonlyMap<string, SandboxState> {
    return this.#states;
  }

  /** False only if the host certainly does not have the sandbox. */
  mayHave(handle: string): boolean {
    return !this.#isSynced || this.#states.has(handle);
  }

  /** Resolves when {@link states} is complete for the first time. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Waits for {@link synced}, but not for ever: the caller can go on without it. */
  async syncedSoon(signal: AbortSignal): Promise<void> {
    const late = AbortSignal.timeout(SYNC_PATIENCE_MS);
    await withSignal(this.synced, AbortSignal.any([signal, late])).catch(() => signal.throwIfAborted());
  }

  /** Calls `listener` whenever the host may have room again. Returns a function that ends this. */
  onRoom(listener: () => void): () => void {
    this.#roomListeners.add(listener);
    return () => void this.#roomListeners.delete(listener);
  }

  /**
   * Returns when web can connect to the sandbox; throws if the sandbox fails. Passes notices on meanwhile, and calls
   * `onNoRoom` each time the sandbox is reported to wait for room.
   */
  async untilReady(
    handle: string,
    signal: AbortSignal,
    onNotice: (text: string) => void,
    onNoRoom: () => void = () => {},
  ): Promise<void> {
    for await (const event of this.#follow(handle, signal)) {
      if (event.kind === 'notice') onNotice(event.text);
      if (event.kind !== 'state') continue;
      if (event.state.phase === 'pending' && event.state.noRoom) onNoRoom();
      if (event.state.phase === 'ready') return;
      const failure = failureOf(handle, event.state);
      if (failure) throw failure;
    }
    signal.throwIfAborted();
  }

  /** Returns the failure when the sandbox has stopped running. Only the signal ends the wait otherwise. */
  async untilLost(handle: string, signal: AbortSignal, onNotice: (text: string) => void): Promise<SandboxFailure> {
    for await (const event of this.#follow(handle, signal)) {
      if (event.kind === 'notice') onNotice(event.text);
      if (event.kind !== 'state') continue;
      const failure = failureOf(handle, event.state);
      if (failure) return failure;
    }
    signal.throwIfAborted();
    return sandboxGone(handle);
  }

  /** Returns when the sandbox does not exist, or not any more. */
  async untilGone(handle: string, signal: AbortSignal): Promise<void> {
    if (!this.#states.has(handle)) return;
    for await (const event of this.#follow(handle, signal)) {
      if (event.kind === 'state' && event.state.phase === 'gone') return;
    }
    signal.throwIfAborted();
  }

  /** Whether a step waits for something of this watch. */
  get inUse(): boolean {
    return this.#listeners.size > 0;
  }

  /** Ends the watch of a host whose sandboxes are being removed: to everybody who waits for them, they have gone. */
  async abandon(): Promise<void> {
    await this[Symbol.asyncDispose]();
    for (const handle of [...new Set([...this.#states.keys(), ...this.#listeners.keys()])])
      this.#set(handle, { phase: 'gone' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const mentioned = new Set<string>();
        let synced = false;
        for await (const event of this.#host.watch(this.#stop.signal)) {
          if (event.kind === 'synced') {
            for (const handle of this.#states.keys()) if (!mentioned.has(handle)) this.#set(handle, { phase: 'gone' });
            synced = true;
            this.#isSynced = true;
            this.#synced.resolve();
          } else if (event.kind === 'room') {
            for (const listener of this.#roomListeners) listener();
          } else {
            if (!synced) mentioned.add(event.handle);
            if (event.kind === 'state') this.#set(event.handle, event.state);
            else this.#publish(event.handle, event);
          }
        }
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#onError(error);
      }
      await sleep(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  #set(handle: string, state: SandboxState): void {
    if (state.phase === 'gone') this.#states.delete(handle);
    else this.#states.set(handle, state);
    this.#publish(handle, { kind: 'state', handle, state });
  }

  #publish(handle: string, event: SandboxEvent): void {
    for (const listener of this.#listeners.get(handle) ?? []) listener(event);
  }

  /** Yields the present state, then each event, until the signal. */
  async *#follow(handle: string, signal: AbortSignal): AsyncGenerator<SandboxEvent> {
    const queue = new WakeQueue<SandboxEvent>();
    const listener = (event: SandboxEvent) => queue.push(event);
    const listeners = this.#listeners.get(handle) ?? new Set();
    this.#listeners.set(handle, listeners.add(listener));
    try {
      const known = this.#states.get(handle);
      if (known) queue.push({ kind: 'state', handle, state: known });
      yield* queue.drain(signal);
    } finally {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(handle);
    }
  }
}

function failureOf(handle: string, state: SandboxState): SandboxFailure | undefined {
  switch (state.phase) {
    case 'failed':
      return new SandboxFailure(state.code, state.reason);
    case 'gone':
      return sandboxGone(handle);
    case 'pending':
    case 'ready':
      return undefined;
    default:
      return assertNever(state);
  }
}

/** The failure of a sandbox that does not exist any more. */
export function sandboxGone(handle: string): SandboxFailure {
  return new SandboxFailure('deleted', `the sandbox ${handle} has gone: it was deleted, or its node was lost`);
}
