import { resolve } from 'node:path';
import { Mistake, whereSet } from './mistake.ts';

/** The cluster whose secrets are variables. */
export interface KubernetesSecretsConfig {
  /** Absent: the cluster that web runs in. */
  readonly configPath?: string;
  /** A team's secrets are in the namespace of this and the team's name. */
  readonly namespacePrefix: string;
}

export const SECRETS_FLAGS = [
  'kubernetes-in-cluster',
  'kubernetes-config-path',
  'kubernetes-namespace-prefix',
] as const;

export const SECRETS_HELP = `  --kubernetes-in-cluster BOOL  ((variables)) are secrets of   SEAPLANE_KUBERNETES_IN_CLUSTER
                     the cluster that web runs in
  --kubernetes-config-path FILE  or of the cluster of this  SEAPLANE_KUBERNETES_CONFIG_PATH
                     kubeconfig
  --kubernetes-namespace-prefix P  in the namespace P +      SEAPLANE_KUBERNETES_NAMESPACE_PREFIX, default concourse-
                     TEAM`;

export function parseKubernetesSecrets(
  read: (flag: (typeof SECRETS_FLAGS)[number]) => string | undefined,
): KubernetesSecretsConfig | undefined {
  const inCluster = read('kubernetes-in-cluster') ?? 'false';
  const configPath = read('kubernetes-config-path');
  const namespacePrefix = read('kubernetes-namespace-prefix') ?? 'concourse-';
  if (inCluster !== 'true' && inCluster !== 'false') {
    throw new Mistake(`"${inCluster}" is neither true nor false ${whereSet('kubernetes-in-cluster')}`);
  }
  if (configPath !== undefined) {
    if (inCluster === 'false') return { configPath: resolve(configPath), namespacePrefix };
    throw new Mistake('give either --kubernetes-in-cluster or --kubernetes-config-path, not both');
  }
  return inCluster === 'true' ? { namespacePrefix } : undefined;
}
