import { systemClock } from '@seaplane/orchestrator';
import { KubeApi } from '../api/kube-api.ts';
import { loadCluster } from '../api/kubeconfig.ts';
import { collectionPath, create, type Namespace, remove } from '../api/objects.ts';
import { type Change, reflect } from '../api/reflector.ts';
import type { Pod } from '../api/wire.ts';
import type { Target } from '../target.ts';

/** Plain access to a target's namespace, for benchmarks and tests that need pods that are not sandboxes. */
export interface ClusterForTests extends Disposable {
  readonly namespace: Namespace;
  create(pod: Pod, signal: AbortSignal): Promise<Pod>;
  remove(name: string, signal: AbortSignal): Promise<void>;
}

export function clusterForTests(target: Target): ClusterForTests {
  const api = new KubeApi(() => loadCluster(target));
  const namespace = { api, name: target.namespace };
  return {
    namespace,
    create: (pod, signal) => create(namespace, 'pods', pod, signal),
    async remove(name, signal) {
      await remove(namespace, 'pods', name, 1, signal);
    },
    [Symbol.dispose]: () => api[Symbol.dispose](),
  };
}

export function reflectPods(
  { namespace }: ClusterForTests,
  labelSelector: string,
  signal: AbortSignal,
): AsyncGenerator<Change<Pod>> {
  const options = {
    api: namespace.api,
    clock: systemClock,
    path: collectionPath(namespace, 'pods'),
    what: 'pods',
    selectors: { labelSelector },
    onTrouble: (error: Error) => console.error(error.message),
  };
  return reflect<Pod>(options, signal);
}
