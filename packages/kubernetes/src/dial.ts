import { SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { Endpoint } from '@seaplane/orchestrator';

/**
 * The one place that knows how web reaches a pod: directly, by the pod's address. That works inside of the cluster and
 * wherever pod addresses are routed.
 */
export function dial(handle: string, podAddress: string, podUrl = sidecarUrl(podAddress)): Endpoint {
  return { handle, url: sidecarUrl(podAddress), podUrl };
}

export function sidecarUrl(address: string): string {
  return `https://${address.includes(':') ? `[${address}]` : address}:${SIDECAR_PORT}`;
}
