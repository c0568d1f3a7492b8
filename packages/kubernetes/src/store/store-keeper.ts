import type { Clock } from '@seaplane/orchestrator';
import { type Endpoint, HostError } from '@seaplane/orchestrator';
import { hasCode } from '../api/api-error.ts';
import { backoffMs, retryWhileAway } from '../api/backoff.ts';
import { type Namespace, remove } from '../api/objects.ts';
import { createOwn } from '../api/own-objects.ts';
import { untilPod } from '../api/until-pod.ts';
import type { Pod } from '../api/wire.ts';
import { dial, sidecarUrl } from '../dial.ts';
import { KEY } from '../pod/labels.ts';
import type { PodSettings } from '../pod/pod-settings.ts';
import { addressOf, readPod } from '../pod/pod-status.ts';
import { steadyTime } from '../steady-time.ts';
import type { Target } from '../target.ts';
import { storeClaim, storeImageService, storeName, storePod, storeService } from './store-objects.ts';

/** A store that runs. */
export interface RunningStore {
  readonly endpoint: Endpoint;
  /** The port of every node that serves its images. */
  readonly nodePort: number;
  readonly pod: Pod;
}

export interface StoreKeeperOptions {
  readonly target: Target;
  readonly namespace: Namespace;
  readonly clock: Clock;
  readonly settings: (signal: AbortSignal) => Promise<PodSettings>;
  readonly onTrouble: (error: Error) => void;
}

const START_PATIENCE_MS = 2 * 60_000;

/**
 * Makes sure that the target has a store.
 *
 * Unknown: the next caller of {@link running} finds the store or makes it. Known: the store ran when it was last looked at,
 * and every caller gets that store. {@link lost}, called when the store's pod has gone or changed, makes it unknown again.
 *
 * The first store found may have been made by an earlier web with another key or version: then it is replaced. Stores that
 * are found later are used as they are. Otherwise two webs that differ would replace each other's store for ever.
 */
export class StoreKeeper implements Disposable {
  readonly #options: StoreKeeperOptions;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  #adopted = false;
  #known: Promise<RunningStore> | undefined;
  readonly #keeping = new WeakSet<AbortSignal>();
  #waitsFor = 'it has not been asked for yet';

  constructor(options: StoreKeeperOptions) {
    this.#options = options;
    this.#now = steadyTime(options.clock);
  }

  /** Finds or makes the store, and returns when it runs. Several webs may do so at once. */
  running(): Promise<RunningStore> {
    const known = this.#known ?? this.#find();
    this.#known = known;
    known.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return known;
  }

  /** What the store waits for while it does not run, in words. */
  get waitsFor(): string {
    return this.#waitsFor;
  }

  /** To be called when the store's pod has gone or changed. */
  lost(): void {
    this.#known = undefined;
  }

  /** Tries to find or make the store until it runs, or until the signal. A second call with the same signal does nothing. */
  async keep(signal: AbortSignal): Promise<void> {
    if (this.#keeping.has(signal)) return;
    this.#keeping.add(signal);
    for (let failures = 1; !signal.aborted && !this.#stop.signal.aborted; failures++) {
      try {
        await this.running();
        if (this.#known) break; // otherwise it was lost again meanwhile
      } catch (error) {
        this.#options.onTrouble(error as Error);
        await this.#options.clock.sleep(backoffMs(failures), signal).catch(() => {});
      }
    }
    this.#keeping.delete(signal);
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new HostError('store', `worker ${this.#options.target.name} is closed`));
  }

  async #find(): Promise<RunningStore> {
    const { clock } = this.#options;
    const patience = AbortSignal.timeout(START_PATIENCE_MS);
    const signal = AbortSignal.any([this.#stop.signal, patience]);
    this.#waitsFor = 'it is being created';
    try {
      return await retryWhileAway(clock, START_PATIENCE_MS, signal, () => this.#make(signal));
    } catch (error) {
      throw patience.aborted ? this.#failure(`it did not start within two minutes: ${this.#waitsFor}`, error) : error;
    }
  }

  async #make(signal: AbortSignal): Promise<RunningStore> {
    const { target, namespace, settings } = this.#options;
    const pod = storePod(target, await settings(signal));
    const claim = storeClaim(target);
    // The service is first, and outlives the pod: whoever made it owns the store's name.
    const service = await createOwn(target, namespace, 'services', storeService(target), signal);
    const images = await createOwn(target, namespace, 'services', storeImageService(target), signal);
    if (claim) await createOwn(target, namespace, 'persistentvolumeclaims', claim, signal);
    const running = await this.#start(pod, signal);
    this.#adopted = true;
    const clusterIp = service.object.spec?.clusterIP ?? '';
    const nodePort = images.object.spec?.ports?.[0]?.nodePort ?? 0;
    const endpoint = dial(storeName(target), addressOf(running) ?? '', sidecarUrl(clusterIp));
    return { endpoint, nodePort, pod: running };
  }

  /** Makes the pod, again if it is deleted meanwhile, until one runs. */
  async #start(pod: Pod, signal: AbortSignal): Promise<Pod> {
    const { target, namespace } = this.#options;
    const name = pod.metadata?.name ?? '';
    for (;;) {
      const { object, created } = await createOwn(target, namespace, 'pods', pod, signal);
      const outdated = !created && !this.#adopted && revisionOf(object) !== revisionOf(pod);
      if (isOver(object) || outdated) await this.#remove(object, signal);
      else {
        const seen = await untilPod(this.#options, name, signal, (now) => {
          if (!now || now.metadata?.deletionTimestamp) return 'gone';
          const { state } = readPod(now, [], this.#now());
          this.#waitsFor = 'reason' in state ? (state.reason ?? state.phase) : state.phase;
          if (state.phase === 'failed') throw this.#failure(this.#waitsFor);
          return state.phase === 'ready' ? now : undefined;
        });
        if (seen !== 'gone') return seen;
      }
    }
  }

  /** A pod that has ended keeps its name until it is deleted. */
  async #remove({ metadata }: Pod, signal: AbortSignal): Promise<void> {
    const name = metadata?.name ?? '';
    await remove(this.#options.namespace, 'pods', name, 0, signal);
    await untilPod(this.#options, name, signal, (now) => (now?.metadata?.uid === metadata?.uid ? undefined : true));
  }

  #failure(why: string, cause?: unknown): HostError {
    if (hasCode(cause, 'store')) return cause;
    const { target } = this.#options;
    return new HostError(
      'store',
      `the store of worker ${target.name} (pod ${storeName(target)} in the namespace ${target.namespace}) does not run: ${why}`,
      { cause },
    );
  }
}

/** Whether the pod has ended or is about to end. It does not come back by itself. */
export function isOver(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return Boolean(pod.metadata?.deletionTimestamp) || phase === 'Failed' || phase === 'Succeeded';
}

function revisionOf({ metadata }: Pod): string | undefined {
  return metadata?.annotations?.[KEY.revision];
}
