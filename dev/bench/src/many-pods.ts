import { imageRef } from '@seaplane/dev-images';
import { type ClusterForTests, type Pod, reflectPods } from '@seaplane/kubernetes/testing';

type Spec = NonNullable<Pod['spec']>;

/** A pod that runs `true`, as anybody would write it, and then, one after another, what a step's pod has more. */
export const POD_KINDS = ['bare pods', 'with a sidecar', 'and its hook', 'and a user namespace'] as const;
export type PodKind = (typeof POD_KINDS)[number];

const IMAGE = { image: imageRef('busybox'), imagePullPolicy: 'IfNotPresent' };
const LABEL = 'bench';

export function podOf(kind: PodKind, name: string): Pod {
  const level = POD_KINDS.indexOf(kind);
  const hook = { lifecycle: { postStart: { exec: { command: ['true'] } } } };
  const sidecar = {
    name: 'sidecar',
    ...IMAGE,
    restartPolicy: 'Always',
    command: ['sh', '-c', 'trap "exit 0" TERM; sleep 3600 & wait'],
    ...(level >= 2 ? hook : {}),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { [LABEL]: 'many' } },
    spec: {
      restartPolicy: 'Never',
      dnsPolicy: 'Default',
      terminationGracePeriodSeconds: 1,
      ...(level >= 1 ? { initContainers: [sidecar] as NonNullable<Spec['initContainers']> } : {}),
      ...(level >= 3 ? { hostUsers: false } : {}),
      containers: [{ name: 'main', ...IMAGE, command: ['true'] }],
    },
  };
}

/** Milliseconds until pods that are made at once have all run to their end. Returns when they have gone. */
export async function timePods(cluster: ClusterForTests, pods: readonly Pod[], signal: AbortSignal): Promise<number> {
  const stop = new AbortController();
  const left = new Set(pods.map(({ metadata }) => metadata?.name ?? ''));
  const there = new Set(left);
  let start = 0;
  let time: number | undefined;
  try {
    for await (const change of reflectPods(cluster, `${LABEL}=many`, AbortSignal.any([signal, stop.signal]))) {
      if (change.kind === 'synced') {
        start = performance.now();
        await Promise.all(pods.map((pod) => cluster.create(pod, signal)));
        continue;
      }
      const { metadata, status } = change.object;
      const name = metadata?.name ?? '';
      if (change.kind === 'absent') there.delete(name);
      else if (status?.phase === 'Failed') throw new Error(`the pod ${name} failed`);
      else if (status?.phase === 'Succeeded') left.delete(name);
      if (left.size === 0 && time === undefined) {
        time = performance.now() - start;
        await Promise.all(pods.map((pod) => cluster.remove(pod.metadata?.name ?? '', signal)));
      }
      if (there.size === 0 && time !== undefined) return time;
    }
  } finally {
    stop.abort();
  }
  throw new Error('the pods did not run');
}

/** Returns when none of the pods of steps is left. */
export async function untilStepsHaveGone(cluster: ClusterForTests, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const there = new Set<string>();
  let isSynced = false;
  try {
    const selector = 'seaplane.dev/component=step';
    for await (const change of reflectPods(cluster, selector, AbortSignal.any([signal, stop.signal]))) {
      if (change.kind === 'synced') isSynced = true;
      else if (change.kind === 'absent') there.delete(change.object.metadata?.name ?? '');
      else there.add(change.object.metadata?.name ?? '');
      if (isSynced && there.size === 0) return;
    }
  } finally {
    stop.abort();
  }
}
