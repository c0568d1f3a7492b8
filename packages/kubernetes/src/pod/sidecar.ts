import {
  INSTALL_SUPERVISOR,
  MOUNTS_VARIABLE,
  SIDECAR_PORT,
  WITNESS_VARIABLE,
  type Witness,
} from '@seaplane/baggageclaim';
import type { SandboxSpec } from '@seaplane/orchestrator';
import type { Container } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { authorityVariable } from './authority-secret.ts';
import { SIDECAR } from './containers.ts';
import type { PodSettings } from './pod-settings.ts';
import { sidecarMounts } from './step-mounts.ts';

/**
 * A native sidecar: an init container that keeps running. Its hook puts the supervisor into the control volume, and the
 * kubelet starts the step's container only after that. It has no probe: a probe would cost more than a second.
 */
export function sidecarContainer(target: Target, settings: PodSettings, spec: SandboxSpec): Container {
  const { handle, mounts, hermetic } = spec;
  return {
    name: SIDECAR,
    image: target.baggageclaimImage,
    imagePullPolicy: 'IfNotPresent',
    restartPolicy: 'Always',
    env: [
      ...sidecarEnvironment(target, settings, handle),
      ...mountsVariable(mounts),
      ...(hermetic ? [witnessVariable(settings.witness)] : []),
    ],
    ports: [{ name: 'baggageclaim', containerPort: SIDECAR_PORT }],
    lifecycle: { postStart: { exec: { command: [...INSTALL_SUPERVISOR] } } },
    // Streams pass through the sidecar. A stream that it collected would take the node's memory instead of this.
    resources: {
      requests: { cpu: '5m', memory: '32Mi', 'ephemeral-storage': '16Mi' },
      limits: { memory: '512Mi' },
    },
    securityContext: { allowPrivilegeEscalation: false },
    volumeMounts: sidecarMounts(mounts),
  };
}

/** The paths of the step's volumes outside of the build directory. The kubelet replaces `$(NAME)` in a value, and `$$` by `$`. */
function mountsVariable(mounts: readonly string[]): NonNullable<Container['env']> {
  return mounts.length > 0 ? [{ name: MOUNTS_VARIABLE, value: JSON.stringify(mounts).replaceAll('$', '$$$$') }] : [];
}

/** With it, the sidecar starts no process before the pod's network is proven closed. */
function witnessVariable(witness: Witness | undefined): NonNullable<Container['env']>[number] {
  if (!witness) throw new Error('the pod of a hermetic step was built without a witness');
  return { name: WITNESS_VARIABLE, value: JSON.stringify(witness) };
}

/** The sidecar's handle, the key that it trusts, and where it finds the key of its certificate. */
export function sidecarEnvironment(
  target: Target,
  { publicKey }: PodSettings,
  handle: string,
): NonNullable<Container['env']> {
  return [
    { name: 'SEAPLANE_HANDLE', value: handle },
    { name: 'SEAPLANE_PUBLIC_KEY', value: publicKey },
    authorityVariable(target, publicKey),
  ];
}
