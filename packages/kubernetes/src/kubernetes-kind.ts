import type { HostKind } from '@seaplane/orchestrator';
import { createKubernetesHost } from './kubernetes-host.ts';
import { parseTargetConfig, type TargetConfig } from './target.ts';

/** Hosts that are a namespace of a Kubernetes cluster. */
export const kubernetesKind: HostKind<TargetConfig> = {
  name: 'kubernetes',
  platform: 'linux',
  baseTypes: 'published',
  parse: parseTargetConfig,
  open: (worker, config, services) => {
    const target = { name: worker.name, installation: services.installation, ...config };
    return createKubernetesHost(target, services);
  },
};
