import type { Clock, Endpoint, HostServices } from '@seaplane/orchestrator';
import type { Tunnel } from './tunnel.ts';

export interface PodReachOptions {
  readonly client: HostServices['client'];
  readonly tunnel: Pick<Tunnel, 'open' | 'connect'>;
  readonly clock: Clock;
}

/** Pods are near, where they can be reached at all. An address that is not routed mostly gets no answer. */
const DIRECT_MS = 3_000;
const TUNNELLED_MS = 15_000;
const PAUSE_MS = 500;

type Way = 'direct' | 'tunnel';

/** Shown to users as the way to a worker. */
const WORDS = { direct: 'direct', tunnel: 'tunnel through the API server' } as const;

/**
 * How web reaches the pods of a target.
 *
 * - _Unknown_: the next caller tries its pod directly, then through the tunnel. All others wait for that.
 * - _Direct_, or by _tunnel_: the way by which the expected server has answered. It is used until a review
 *   finds another one.
 */
export class PodReach {
  readonly #options: PodReachOptions;
  #way: Way | undefined;
  #choosing: Promise<void> | undefined;
  #failure: string | undefined;

  constructor(options: PodReachOptions) {
    this.#options = options;
  }

  /** Undefined while no pod has answered. */
  get words(): string | undefined {
    return this.#way && WORDS[this.#way];
  }

  /** What came of the last attempt to find a way, if it found none: a part of a sentence. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The endpoint of a pod, by the way that leads to it. While there is none, looks for one for so long. */
  async endpoint(direct: Endpoint, patienceMs = 0): Promise<Endpoint> {
    const { clock, tunnel } = this.#options;
    const deadline = clock.elapsedMs() + patienceMs;
    for (;;) {
      await this.#known(direct);
      if (this.#way || clock.elapsedMs() + PAUSE_MS > deadline) break;
      await clock.sleep(PAUSE_MS, new AbortController().signal);
    }
    if (this.#way !== 'tunnel') return direct;
    await tunnel.open().catch(() => {}); // calls try again
    return { ...direct, connect: tunnel.connect };
  }

  /**
   * Looks whether another way has become the right one, if this one is in use. To be called with the endpoint of a pod that
   * runs: for the tunnel now and then, since the network may have been slow when the way was chosen; for the direct way when
   * something is wrong. Calls that have begun stay with their way.
   */
  async review(way: Way, direct: Endpoint): Promise<void> {
    if (this.#way !== way) return;
    if (way === 'direct') await this.#choose(direct);
    else if (!(await this.#failureOf(direct, DIRECT_MS))) this.#way = 'direct';
  }

  async #known(direct: Endpoint): Promise<void> {
    if (this.#way) return;
    this.#choosing ??= this.#choose(direct).finally(() => {
      this.#choosing = undefined;
    });
    await this.#choosing;
  }

  async #choose(direct: Endpoint): Promise<void> {
    const { tunnel } = this.#options;
    const near = await this.#failureOf(direct, DIRECT_MS);
    const far =
      near &&
      (await tunnel.open().then(
        () => this.#failureOf({ ...direct, connect: tunnel.connect }, TUNNELLED_MS),
        (error: Error) => error,
      ));
    this.#failure =
      far && `answers neither at ${direct.url} (${near.message}) nor through the API server (${far.message})`;
    if (!far) this.#way = near ? 'tunnel' : 'direct';
  }

  /** Undefined if the expected server answers. */
  async #failureOf(endpoint: Endpoint, patienceMs: number): Promise<Error | undefined> {
    return this.#options
      .client(endpoint)
      .health(AbortSignal.timeout(patienceMs))
      .then(
        () => undefined,
        (error: Error) => (error.name === 'TimeoutError' ? new Error(`no answer in ${patienceMs / 1000} s`) : error),
      );
  }
}
