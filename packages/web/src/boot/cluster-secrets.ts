import { CredentialError, type CredentialManager, kubernetesSecrets } from '@seaplane/credentials';
import { HostError } from '@seaplane/orchestrator';
import type { WebConfig } from './config.ts';
import { openClusterSecrets } from './host-kinds.ts';

/** Variables that are secrets of the operator's cluster. Undefined: the operator has named none. */
export function openSecrets({ kubernetesSecrets: settings }: WebConfig): CredentialManager | undefined {
  if (!settings) return undefined;
  const { configPath, namespacePrefix } = settings;
  const secrets = openClusterSecrets(
    configPath === undefined ? { kind: 'in-cluster' } : { kind: 'kubeconfig', path: configPath },
  );
  const read = async (namespace: string, name: string, signal: AbortSignal) => {
    try {
      return await secrets.read(namespace, name, signal);
    } catch (error) {
      throw error instanceof HostError ? inWords(error, namespace, name) : error;
    }
  };
  return {
    ...kubernetesSecrets(read, namespacePrefix),
    [Symbol.asyncDispose]: async () => secrets[Symbol.dispose](),
  };
}

/** For authors of pipelines, who do not know the cluster. The cause is for the operator. */
function inWords(cause: HostError, namespace: string, name: string): CredentialError {
  const start = `the Kubernetes secret ${namespace}/${name} cannot be read`;
  if (cause.code === 'forbidden') {
    const message = `${start}: Seaplane has no right to get secrets in the namespace ${namespace}. Ask your operator`;
    return new CredentialError('refused', message, { cause });
  }
  const isAway = cause.code === 'unreachable' || cause.code === 'overloaded';
  if (isAway) return new CredentialError('unavailable', `${start}: the cluster does not answer`, { cause });
  return new CredentialError('refused', `${start}: the cluster refused (${cause.code}). Ask your operator`, { cause });
}
