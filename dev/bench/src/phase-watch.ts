import type { KubernetesHost } from '@seaplane/kubernetes/testing';

type Phase = 'ready' | 'gone';

/** Follows a host from the start, so that nothing of a pod's start is spent on opening a watch. */
export class PhaseWatch implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #loop: Promise<void>;

  constructor(host: KubernetesHost) {
    this.#loop = this.#follow(host);
  }

  /** The next time that the sandbox is in this phase. */
  next(handle: string, phase: Phase, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(`${handle} ${phase}`, { resolve, reject });
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
      this.#waiting.get(`${handle} ${state.phase}`)?.resolve();
      if (state.phase === 'failed') this.#waiting.get(`${handle} ready`)?.reject(new Error(state.reason));
    }
  }
}
