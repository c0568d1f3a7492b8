import { hasAnswer } from './api/api-error.ts';
import { KubeApi } from './api/kube-api.ts';
import { loadCluster } from './api/kubeconfig.ts';
import type { ClusterLocation } from './target.ts';

/** Reads Secrets of a cluster, in any namespace that its user may read. */
export interface ClusterSecrets extends Disposable {
  /** The keys of a secret with their values. Undefined: there is none. Throws a {@link HostError}. */
  read(namespace: string, name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
}

interface SecretObject {
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** No namespace and no secret has another name. So a name never leads to another path. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Does not ask the cluster yet. */
export function openClusterSecrets(cluster: ClusterLocation): ClusterSecrets {
  const api = new KubeApi(() => loadCluster({ name: 'of the secrets', namespace: '', cluster }));
  return {
    async read(namespace, name, signal) {
      if (!NAME.test(namespace) || !NAME.test(name)) return undefined;
      const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
      try {
        const what = `read the secret ${name} in the namespace ${namespace}`;
        const { data = {} } = await api.request<SecretObject>({ method: 'GET', path, what, signal });
        return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
      } catch (error) {
        if (hasAnswer(error, 'not-found')) return undefined;
        throw error;
      }
    },
    [Symbol.dispose]: () => api[Symbol.dispose](),
  };
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
