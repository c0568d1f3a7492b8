import { SIDECAR_PORT } from '@seaplane/baggageclaim';
import type { Endpoint } from '@seaplane/orchestrator';

/**
 * The one place that knows how web reaches a pod. Today directly, by its address, which works inside of the cluster and
 * wherever pod addresses are routed. Where they are not, a tunnel to the store will answer here instead.
 */
export function dial(handle: string, podAddress: string, podUrl = sidecarUrl(podAddress)): Endpoint {
  return { handle, url: sidecarUrl(podAddress), podUrl };
}

export function sidecarUrl(address: string): string {
  return `https://${address.includes(':') ? `[${address}]` : address}:${SIDECAR_PORT}`;
}
