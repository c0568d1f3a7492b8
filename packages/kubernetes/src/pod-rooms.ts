import { type Clock, HostError, withSignal } from '@seaplane/orchestrator';
import { hasAnswer, hasCode } from './api/api-error.ts';
import { type Namespace, resizePod } from './api/objects.ts';
import type { Change } from './api/reflector.ts';
import type { Pod } from './api/wire.ts';
import { asksForRoom, holdsRoom, isDeferred, releasePatch, restorePatch } from './pod/pod-room.ts';
import { handleOf } from './sandbox-events.ts';

/** A node makes a pod smaller within a second. One that has not by now is too old for that, or can't. */
const RESIZE_MS = 15_000;
/** Somebody waits for a pod to be made larger. A node does it within a second. */
const RESTORE_MS = 5_000;
/** A cluster that can't make pods smaller, or does not permit it, is asked again after this time. */
const ASK_AGAIN_MS = 10 * 60_000;

export interface PodRoomsOptions {
  readonly namespace: Namespace;
  readonly clock: Clock;
  readonly onTrouble: (error: Error) => void;
}

/**
 * Gives back the CPU and memory of pods whose process has ended, by making their requests smaller in place, until somebody enters them. Limits stay:
 * they reserve nothing on a node, and a node refuses a limit below what the page cache of a container holds.
 */
export class PodRooms {
  readonly #options: PodRoomsOptions;
  /** Pods that ask for room or still hold it, by handle. */
  readonly #pods = new Map<string, Pod>();
  /** Pods that were released, by handle. */
  readonly #released = new Map<string, Pod>();
  /** Called for each change of a pod. */
  readonly #watchers = new Set<(handle: string, pod: Pod | undefined) => void>();
  /** When each pod of this map was made smaller. */
  readonly #resizedAt = new Map<string, number>();
  #askAgainAt = 0;

  constructor(options: PodRoomsOptions) {
    this.#options = options;
  }

  /** Takes each change of a pod from the watch. */
  see(change: Exclude<Change<Pod>, { kind: 'synced' }>): void {
    const handle = handleOf(change.object);
    if (handle === undefined) return;
    const pod = change.object;
    if (change.kind === 'present' && restorePatch(pod)) this.#released.set(handle, pod);
    else this.#released.delete(handle);
    if (change.kind === 'present' && (asksForRoom(pod) || holdsRoom(pod))) this.#pods.set(handle, pod);
    else {
      this.#pods.delete(handle);
      this.#resizedAt.delete(handle);
    }
    for (const watcher of this.#watchers) watcher(handle, change.kind === 'present' ? pod : undefined);
  }

  /**
   * Gives a released pod back what it asked for, for somebody who enters it. Returns when its node has done that, has no room
   * for it, or does not answer. If the cluster refuses, the pod stays as it is.
   */
  async restore(handle: string, signal: AbortSignal): Promise<void> {
    const pod = this.#released.get(handle);
    const patch = pod && restorePatch(pod);
    if (!patch) return;
    const done = Promise.withResolvers<void>();
    const watcher = (changed: string, now: Pod | undefined) => {
      if (changed === handle && (!now || holdsRoom(now) || isDeferred(now))) done.resolve();
    };
    this.#watchers.add(watcher);
    try {
      await resizePod(this.#options.namespace, pod.metadata?.name ?? '', patch, signal);
      await withSignal(done.promise, AbortSignal.any([signal, AbortSignal.timeout(RESTORE_MS)]));
    } catch {
      signal.throwIfAborted();
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /** Returns false if the pod still counts, and will. */
  async release(handle: string, signal: AbortSignal): Promise<boolean> {
    const pod = this.#pods.get(handle);
    if (!pod) return true;
    const now = this.#options.clock.elapsedMs();
    const resizedAt = this.#resizedAt.get(handle);
    if (resizedAt !== undefined) return now - resizedAt < RESIZE_MS;
    if (now < this.#askAgainAt || !asksForRoom(pod)) return false;
    try {
      await resizePod(this.#options.namespace, pod.metadata?.name ?? '', releasePatch(pod), signal);
    } catch (error) {
      return this.#unreleased(error, now);
    }
    this.#resizedAt.set(handle, now);
    return true;
  }

  #unreleased(error: unknown, now: number): boolean {
    // The pod has gone, or another one has its name.
    if (hasAnswer(error, 'conflict')) return true;
    const absent = hasAnswer(error, 'not-found') && !/"[^"]*" not found/.test((error as Error).message);
    if (hasAnswer(error, 'not-found') && !absent) return true;
    if (!absent && !hasCode(error, 'forbidden', 'refused')) throw error;
    this.#askAgainAt = now + ASK_AGAIN_MS;
    const { message } = error as Error;
    const effect = 'steps that have ended keep their CPU and memory until others need it';
    this.#options.onTrouble(new HostError('refused', `${message}: ${effect}`, { cause: error }));
    return false;
  }
}
