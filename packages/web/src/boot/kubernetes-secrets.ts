import { resolve } from 'node:path';
import { Mistake } from './mistake.ts';

/** The cluster whose secrets are variables. */
export interface KubernetesSecretsConfig {
  /** Absent: the cluster that web runs in. */
  readonly configPath?: string;
  /** A team's secrets are in the namespace of this and the team's name. */
  readonly namespacePrefix: string;
}

export function parseKubernetesSecrets(
  inCluster: boolean,
  configPath: string | undefined,
  namespacePrefix = 'concourse-',
): KubernetesSecretsConfig | undefined {
  if (inCluster && configPath !== undefined) {
    throw new Mistake('give either --kubernetes-in-cluster or --kubernetes-config-path, not both');
  }
  if (!inCluster && configPath === undefined) return undefined;
  return { ...(configPath === undefined ? {} : { configPath: resolve(configPath) }), namespacePrefix };
}
