import { readFile } from 'node:fs/promises';
import { parseYaml } from '@seaplane/config';
import { type ConfiguredWorker, parseWorker } from '@seaplane/orchestrator';
import type { ClusterFlags } from './config.ts';
import { HOST_KINDS } from './host-kinds.ts';
import { WebError } from './web-error.ts';

/** The name of the worker that `--kubeconfig` adds. */
const CLUSTER_WORKER = 'kubernetes';
const DEFAULT_NAMESPACE = 'seaplane';

/** The worker that `--kubeconfig` adds. The cluster is not asked. */
export async function clusterWorker({ kubeconfig, namespace, image }: ClusterFlags): Promise<ConfiguredWorker> {
  const text = await readFile(kubeconfig, 'utf8').catch((cause: Error) => {
    throw new WebError('bad-targets', `The kubeconfig ${kubeconfig} cannot be read: ${cause.message}.`, { cause });
  });
  const entry = {
    kind: 'kubernetes',
    name: CLUSTER_WORKER,
    kubeconfig,
    namespace: namespace ?? namespaceIn(kubeconfig, text) ?? DEFAULT_NAMESPACE,
    images: { baggageclaim: image },
  };
  try {
    return parseWorker(HOST_KINDS, 'the cluster', entry);
  } catch (cause) {
    throw new WebError('bad-targets', `${(cause as Error).message} (--kubeconfig, --namespace).`, { cause });
  }
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { readonly name?: string; readonly context?: { readonly namespace?: string } }[];
}

/** The namespace of the current context. A parser's message may quote the file, and with it a secret, so it is not shown. */
function namespaceIn(path: string, text: string): string | undefined {
  let config: Kubeconfig;
  try {
    config = parseYaml(text) as Kubeconfig;
  } catch {
    throw new WebError('bad-targets', `${path} is not a kubeconfig: it is not valid YAML.`);
  }
  const contexts = Array.isArray(config?.contexts) ? config.contexts : [];
  return contexts.find(({ name }) => name === config['current-context'])?.context?.namespace;
}
