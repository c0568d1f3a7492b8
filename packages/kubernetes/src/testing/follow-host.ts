import type { SandboxEvent } from '@seaplane/orchestrator';
import type { KubernetesHost } from '../kubernetes-host.ts';

/** Follows a host until disposed; `seen` has every event. */
export function followHost(host: KubernetesHost) {
  const stop = new AbortController();
  const seen: SandboxEvent[] = [];
  const ended = (async () => {
    for await (const event of host.watch(stop.signal)) seen.push(event);
  })();
  return {
    seen,
    of: (handle: string) => seen.filter((event) => 'handle' in event && event.handle === handle),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
