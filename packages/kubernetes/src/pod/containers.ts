import type { ContainerStatus, Pod } from '../api/wire.ts';

/** The step's own container. */
export const MAIN = 'main';

/** The container that speaks for a sandbox. */
export const SIDECAR = 'baggageclaim';

/** Undefined while the kubelet has reported nothing about the container. */
export function containerStatus(pod: Pod, name: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find((status) => status.name === name);
}
