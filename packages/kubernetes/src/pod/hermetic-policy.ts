import { SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { NetworkPolicy } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { componentLabels, KEY, ownerLabels, podName } from './labels.ts';

/**
 * One policy for all hermetic steps of a target. They can connect only to sidecars of our other pods, to pull inputs, and
 * only their own sidecar can be connected to: another step could else fetch what they may not. The policy is made before
 * the first such pod, so that no pod runs without it. Its name is not that of older versions, which closed one direction.
 */
export function hermeticPolicy(target: Target): NetworkPolicy {
  const ours = ownerLabels(target);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: podName(`hermetic-in-and-out-${target.name}`),
      namespace: target.namespace,
      labels: componentLabels(target, 'step'),
    },
    spec: {
      podSelector: { matchLabels: { ...ours, [KEY.hermetic]: 'true' } },
      policyTypes: ['Egress', 'Ingress'],
      egress: [{ to: [{ podSelector: { matchLabels: ours } }], ports: [{ port: SIDECAR_PORT, protocol: 'TCP' }] }],
      ingress: [{ ports: [{ port: SIDECAR_PORT, protocol: 'TCP' }] }],
    },
  };
}
