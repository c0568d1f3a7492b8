import { SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { Endpoint } from '@seaplane/orchestrator';

/**
 * A pod, as web reaches it directly by its address. That works inside of the cluster and wherever pod addresses are routed.
 * Elsewhere {@link PodReach} adds another way.
 */
export function dial(handle: string, podAddress: string, podUrl = sidecarUrl(podAddress)): Endpoint {
  return { handle, url: sidecarUrl(podAddress), podUrl };
}

export function sidecarUrl(address: string): string {
  return `https://${address.includes(':') ? `[${address}]` : address}:${SIDECAR_PORT}`;
}
