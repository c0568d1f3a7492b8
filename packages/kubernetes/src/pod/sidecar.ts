import { INSTALL_SUPERVISOR, SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { Container, VolumeMount } from '../api/wire.ts';
import type { Target } from '../target.ts';
import { SIDECAR } from './containers.ts';
import type { PodSettings } from './pod-settings.ts';

/**
 * A native sidecar: an init container that keeps running. Its hook puts the supervisor into the control volume, and the
 * kubelet starts the step's container only after that. It has no probe: a probe would cost more than a second.
 */
export function sidecarContainer(
  target: Target,
  settings: PodSettings,
  handle: string,
  volumeMounts: VolumeMount[],
): Container {
  return {
    name: SIDECAR,
    image: target.baggageclaimImage,
    imagePullPolicy: 'IfNotPresent',
    restartPolicy: 'Always',
    env: sidecarEnvironment(settings, handle),
    ports: [{ name: 'baggageclaim', containerPort: SIDECAR_PORT }],
    lifecycle: { postStart: { exec: { command: [...INSTALL_SUPERVISOR] } } },
    resources: { requests: { cpu: '5m', memory: '32Mi', 'ephemeral-storage': '16Mi' } },
    securityContext: { allowPrivilegeEscalation: false },
    volumeMounts,
  };
}

/** The sidecar's handle, and the key that it trusts. */
export function sidecarEnvironment(settings: PodSettings, handle: string): NonNullable<Container['env']> {
  return [
    { name: 'SEAPLANE_HANDLE', value: handle },
    { name: 'SEAPLANE_PUBLIC_KEY', value: settings.publicKey },
  ];
}
