import type { KubernetesHost } from '@seaplane/kubernetes';

/** Follows a host from the start, so that nothing of a pod's start is spent on opening a watch. */
export class ReadyWatch implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #loop: Promise<void>;

  constructor(host: KubernetesHost) {
    this.#loop = this.#follow(host);
  }

  ready(handle: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(handle, { resolve, reject });
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #follow(host: KubernetesHost): Promise<void> {
    for await (const event of host.watch(this.#stop.signal)) {
      if (event.kind !== 'state') continue;
      const { state, handle } = event;
      if (state.phase === 'ready') this.#waiting.get(handle)?.resolve();
      if (state.phase === 'failed') this.#waiting.get(handle)?.reject(new Error(state.reason));
    }
  }
}
