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

/**
 * Milliseconds from asking for a bare pod to seeing it run, by a watch that was there before. Returns when the pod has
 * gone, so that the next measurement does not run beside its end.
 */
export async function timeBarePod(cluster: ClusterForTests, pod: Pod, signal: AbortSignal): Promise<number> {
  const name = pod.metadata?.name ?? '';
  const stop = new AbortController();
  let start = 0;
  let time: number | undefined;
  try {
    for await (const change of reflectPods(cluster, 'bench=bare', AbortSignal.any([signal, stop.signal]))) {
      if (change.kind === 'synced') {
        start = performance.now();
        await cluster.create(pod, signal);
        continue;
      }
      if (change.object.metadata?.name !== name) continue;
      if (change.kind === 'absent' && time !== undefined) return time;
      if (change.kind === 'absent' || time !== undefined || !runs(change.object)) continue;
      time = performance.now() - start;
      await cluster.remove(name, signal);
    }
  } finally {
    stop.abort();
  }
  throw new Error(`${name} did not run`);
}

function runs(pod: Pod): boolean {
  return Boolean(pod.status?.containerStatuses?.every(({ state }) => state?.running) && pod.status.podIP);
}
