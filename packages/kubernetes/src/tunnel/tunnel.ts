import { RELAY_PORT, type Relay } from '@seaplane/baggageclaim';
import { type Clock, HostError, type HostServices, withSignal } from '@seaplane/orchestrator';
import { backoffMs } from '../api/backoff.ts';
import type { Namespace } from '../api/objects.ts';
import { openPortForward } from '../api/port-forward.ts';

export interface TunnelOptions {
  /** The worker's name. */
  readonly name: string;
  readonly namespace: Namespace;
  readonly clock: Clock;
  readonly relay: HostServices['relay'];
  /** The name of the store's pod, when that runs. It is the store's handle, too. */
  readonly store: () => Promise<string>;
}

const DIAL_MS = 20_000;

/**
 * One connection through the API server to the target's store, which relays to the pods. All calls of this web to the target
 * are streams of it.
 *
 * - _Closed_: the first caller dials.
 * - _Dialling_: all callers wait for the same attempt. One that failed is remembered for a while: hundreds of steps that try
 *   again must not become hundreds of attempts.
 * - _Open_: until the connection is cut. Then it is closed, and calls that were cut try again by themselves.
 */
export class Tunnel implements Disposable {
  readonly #options: TunnelOptions;
  readonly #stop = new AbortController();
  #dialled: Promise<Relay> | undefined;
  #relay: Relay | undefined;
  #failures = 0;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /** Opens the way to a pod, if the tunnel is open. Otherwise dials, and throws. */
  readonly connect: Relay['connect'] = (host) => {
    if (this.#relay) return this.#relay.connect(host);
    this.open().catch(() => {}); // the next call gets the error, too
    throw new HostError('unreachable', `the tunnel to worker ${this.#options.name} is being dialled`);
  };

  /** Returns when the tunnel is open. */
  async open(): Promise<void> {
    this.#dialled ??= this.#dial();
    await this.#dialled;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new HostError('unreachable', `worker ${this.#options.name} is closed`));
    this.#relay?.[Symbol.dispose]();
  }

  async #dial(): Promise<Relay> {
    const { namespace, relay, store, clock } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(DIAL_MS)]);
    try {
      const pod = await withSignal(store(), signal);
      const connection = await openPortForward(namespace, pod, RELAY_PORT, signal);
      const opened = await relay(pod, connection, signal);
      this.#failures = 0;
      this.#relay = opened;
      void opened.closed.then(() => {
        this.#relay = undefined;
        this.#dialled = undefined;
      });
      return opened;
    } catch (error) {
      const forget = () => {
        this.#dialled = undefined;
      };
      clock.sleep(backoffMs(++this.#failures), this.#stop.signal).then(forget, forget);
      throw error;
    }
  }
}
