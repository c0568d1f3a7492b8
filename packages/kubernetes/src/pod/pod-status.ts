import type { SandboxState } from '@seaplane/orchestrator';
import type { KubeEvent, Pod } from '../api/wire.ts';
import { containerStatus, SIDECAR } from './containers.ts';
import { failureOf } from './pod-failure.ts';
import { type Notice, noticesOf } from './pod-notices.ts';
import { type Waiting, waitingOf } from './pod-waiting.ts';

/** What a pod's status, and the warnings about it, mean for the sandbox that it is. */
export interface PodReading {
  readonly state: SandboxState;
  /** All that hold now; whoever shows them shows each once. */
  readonly notices: readonly Notice[];
  /** When to read it again though nothing has changed: patience ends then. Milliseconds since 1970. */
  readonly revisitAt?: number;
}

/**
 * Guards in a fixed order: a pod that is leaving or has ended, one that waits in vain, one that can be spoken to, one
 * that is still on its way. The phase `Succeeded` is a failure like any other end: only an exit record makes a step
 * green.
 */
export function readPod(pod: Pod, events: readonly KubeEvent[], now: number): PodReading {
  const failure = failureOf(pod);
  if (failure) return { state: { phase: 'failed', ...failure }, notices: noticesOf(pod, events) };

  const waiting = waitingOf(pod, events, now);
  const notices = [...noticesOf(pod, events), ...(waiting?.notice ? [waiting.notice] : [])];
  if (waiting?.hopeless) return { state: { phase: 'failed', code: waiting.code, reason: waiting.reason }, notices };
  const revisit = waiting?.deadline === undefined ? {} : { revisitAt: waiting.deadline };
  if (canBeSpokenTo(pod)) return { state: { phase: 'ready' }, notices, ...revisit };
  return { state: pending(pod, waiting), notices, ...revisit };
}

/** The sidecar runs and has an address. The step's own container may still be starting. */
function canBeSpokenTo(pod: Pod): boolean {
  return Boolean(addressOf(pod) && containerStatus(pod, SIDECAR)?.state?.running);
}

/** Where the pod's sidecar is. */
export function addressOf(pod: Pod): string | undefined {
  return pod.status?.podIP;
}

function pending(pod: Pod, waiting: Waiting | undefined): SandboxState {
  if (waiting) return { phase: 'pending', reason: waiting.reason };
  const node = pod.spec?.nodeName;
  return { phase: 'pending', reason: node ? `starting on node ${node}` : 'waiting for a node' };
}
