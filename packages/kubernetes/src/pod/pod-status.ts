import type { SandboxState } from '@seaplane/orchestrator';
import type { KubeEvent, Pod } from '../api/wire.ts';
import { containerStatus, SIDECAR } from './containers.ts';
import { failureOf } from './pod-failure.ts';
import { type Notice, noticesOf } from './pod-notices.ts';
import { type Waiting, waitingOf } from './pod-waiting.ts';

/** The meaning of a pod's status, and of the warnings about it, for the sandbox. */
export interface PodReading {
  readonly state: SandboxState;
  /** All notices that hold now. The reader of the reading reports each once. */
  readonly notices: readonly Notice[];
  /** When to read the pod again though nothing has changed: a deadline passes then. Milliseconds since 1970. */
  readonly revisitAt?: number;
}

/**
 * Guards in a fixed order: the pod is being removed or has ended; it waits in vain; its sidecar answers; it is still
 * starting. The phase `Succeeded` is a failure like any other end: only an exit record makes a step green.
 */
export function readPod(
  pod: Pod,
  events: readonly KubeEvent[],
  now: number,
  roomWaitMs = Number.POSITIVE_INFINITY,
): PodReading {
  const failure = failureOf(pod);
  if (failure) return { state: { phase: 'failed', ...failure }, notices: noticesOf(pod, events) };

  const waiting = waitingOf(pod, events, now, roomWaitMs);
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

/** The address of the pod's sidecar. */
export function addressOf(pod: Pod): string | undefined {
  return pod.status?.podIP;
}

function pending(pod: Pod, waiting: Waiting | undefined): SandboxState {
  if (waiting) {
    const room = waiting.code === 'unschedulable' ? { noRoom: true as const } : {};
    return { phase: 'pending', reason: waiting.reason, ...room };
  }
  const node = pod.spec?.nodeName;
  return { phase: 'pending', reason: node ? `starting on node ${node}` : 'waiting for a node' };
}
