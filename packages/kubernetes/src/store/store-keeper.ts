import type { Clock } from '@seaplane/orchestrator';
import { type Endpoint, HostError } from '@seaplane/orchestrator';
import { hasCode } from '../api/api-error.ts';
import { backoffMs, retryWhileAway } from '../api/backoff.ts';
import { createOrGet, type Namespace, remove } from '../api/objects.ts';
import { untilPod } from '../api/until-pod.ts';
import type { Pod } from '../api/wire.ts';
import { dial, sidecarUrl } from '../dial.ts';
import { KEY } from '../pod/labels.ts';
import type { PodSettings } from '../pod/pod-settings.ts';
import { addressOf, readPod } from '../pod/pod-status.ts';
import type { Target } from '../target.ts';
import { storeClaim, storeImageService, storeName, storePod, storeService } from './store-objects.ts';

/** A store that can be spoken to. */
export interface RunningStore {
  readonly endpoint: Endpoint;
  /** The port of every node under which its images are. */
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
 * Sees to it that the target has a store.
 *
 * Unknown: nothing is known, the next who asks finds or makes it. Known: it ran when last looked at, and everyone gets
 * that answer, until {@link lost} says that its pod has gone or changed; then it is unknown again.
 *
 * The first one that is found may be of a web before this one, with another key or version: it is replaced. Later ones
 * are taken as they are, so that of two webs that differ not each keeps replacing what the other made.
 */
export class StoreKeeper implements Disposable {
  readonly #options: StoreKeeperOptions;
  readonly #stop = new AbortController();
  #adopted = false;
  #known: Promise<RunningStore> | undefined;
  readonly #keeping = new WeakSet<AbortSignal>();
  #waitsFor = 'nobody has asked for it yet';

  constructor(options: StoreKeeperOptions) {
    this.#options = options;
  }

  /** Finds or makes the store, and returns when it can be spoken to. Many webs may do so at once. */
  running(): Promise<RunningStore> {
    const known = this.#known ?? this.#find();
    this.#known = known;
    known.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return known;
  }

  /** What it waits for while it does not run, in words. */
  get waitsFor(): string {
    return this.#waitsFor;
  }

  /** Its pod is not what it was. */
  lost(): void {
    this.#known = undefined;
  }

  /** Tries until there is one, or the signal. Asked twice with the same signal, it still tries once. */
  async keep(signal: AbortSignal): Promise<void> {
    if (this.#keeping.has(signal)) return;
    this.#keeping.add(signal);
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.running();
        if (this.#known) break; // else it was lost again meanwhile
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
    if (claim) await createOrGet(namespace, 'persistentvolumeclaims', claim, signal);
    const service = await createOrGet(namespace, 'services', storeService(target), signal);
    const images = await createOrGet(namespace, 'services', storeImageService(target), signal);
    const running = await this.#start(pod, signal);
    this.#adopted = true;
    const clusterIp = service.object.spec?.clusterIP ?? '';
    const nodePort = images.object.spec?.ports?.[0]?.nodePort ?? 0;
    const endpoint = dial(storeName(target), addressOf(running) ?? '', sidecarUrl(clusterIp));
    return { endpoint, nodePort, pod: running };
  }

  /** Makes the pod until one runs: whatever is deleted meanwhile is made again. */
  async #start(pod: Pod, signal: AbortSignal): Promise<Pod> {
    const { namespace, clock } = this.#options;
    const name = pod.metadata?.name ?? '';
    for (;;) {
      const { object, created } = await createOrGet(namespace, 'pods', pod, signal);
      const foreign = !created && !this.#adopted && revisionOf(object) !== revisionOf(pod);
      if (isOver(object) || foreign) await this.#remove(object, signal);
      else {
        const seen = await untilPod(this.#options, name, signal, (now) => {
          if (!now || now.metadata?.deletionTimestamp) return 'gone';
          const { state } = readPod(now, [], clock.now().getTime());
          this.#waitsFor = 'reason' in state ? (state.reason ?? state.phase) : state.phase;
          if (state.phase === 'failed') throw this.#failure(this.#waitsFor);
          return state.phase === 'ready' ? now : undefined;
        });
        if (seen !== 'gone') return seen;
      }
    }
  }

  /** A pod that has ended keeps its name until somebody deletes it. */
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

/** Has ended or is about to, and will not come back by itself. */
export function isOver(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return Boolean(pod.metadata?.deletionTimestamp) || phase === 'Failed' || phase === 'Succeeded';
}

function revisionOf({ metadata }: Pod): string | undefined {
  return metadata?.annotations?.[KEY.revision];
}
