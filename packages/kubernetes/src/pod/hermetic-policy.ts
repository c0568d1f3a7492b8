import { SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { NetworkPolicy } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { componentLabels, KEY, ownerLabels, podName } from './labels.ts';

/**
 * One policy for all hermetic steps of a target. They can connect only to sidecars of our other pods, to pull inputs. The
 * policy is made before the first such pod, so that no pod runs without it.
 */
export function hermeticPolicy(target: Target): NetworkPolicy {
  const ours = ownerLabels(target);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: podName(`hermetic-${target.name}`),
      namespace: target.namespace,
      labels: componentLabels(target, 'step'),
    },
    spec: {
      podSelector: { matchLabels: { ...ours, [KEY.hermetic]: 'true' } },
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: { matchLabels: ours } }], ports: [{ port: SIDECAR_PORT, protocol: 'TCP' }] }],
    },
  };
}
