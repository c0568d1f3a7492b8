import { type ClusterForTests, type Pod, reflectPods } from '@seaplane/kubernetes/testing';

/** A pod as anybody would write it, to compare with: one container, with the token volume that is the default. */
export function barePod(name: string, image: string, token: boolean): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { bench: 'bare' } },
    spec: {
      restartPolicy: 'Never',
      dnsPolicy: 'Default',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: token,
      containers: [{ name: 'main', image, imagePullPolicy: 'IfNotPresent', command: ['sleep', '3600'] }],
    },
  };
}

/** Milliseconds from asking for a bare pod to seeing it run, by a watch that was there before. */
export async function timeBarePod(cluster: ClusterForTests, pod: Pod, signal: AbortSignal): Promise<number> {
  const name = pod.metadata?.name ?? '';
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const stop = new AbortController();
  const seen = (async () => {
    for await (const change of reflectPods(cluster, 'bench=bare', AbortSignal.any([signal, stop.signal]))) {
      if (change.kind === 'synced') resolve();
      else if (change.object.metadata?.name === name && runs(change.object)) return performance.now();
    }
    throw new Error(`${name} did not run`);
  })();
  await synced;
  const start = performance.now();
  await cluster.create(pod, signal);
  const end = await seen;
  stop.abort();
  await cluster.remove(name, signal);
  return end - start;
}

function runs(pod: Pod): boolean {
  return Boolean(pod.status?.containerStatuses?.every(({ state }) => state?.running) && pod.status.podIP);
}
