import type { HostErrorCode } from '@seaplane/orchestrator';
import type { ContainerStatus, KubeEvent, Pod } from '../api/wire.ts';
import { containerStatus, MAIN, SIDECAR } from './containers.ts';
import { isPullReason, judgePull, PULL_PATIENCE_MS } from './image-pull.ts';
import { lastSidecarEnd } from './pod-failure.ts';
import type { Notice } from './pod-notices.ts';

/** What a pod waits for, if it is worth a notice. */
export interface Waiting {
  readonly reason: string;
  /** The cause of the pod's failure if waiting is in vain. */
  readonly code: HostErrorCode;
  /** Waiting is in vain. */
  readonly hopeless: boolean;
  /** When waiting becomes hopeless. Milliseconds since 1970. */
  readonly deadline?: number;
  readonly notice?: Notice;
}

/** The node's runtime is busy or fails; it mostly recovers. */
const RUNTIME_PATIENCE_MS = 2 * 60_000;
/** A sidecar that was restarted this often and is down again will not recover. */
const SIDECAR_LIVES = 3;

/** `roomWaitMs` is how long a pod may wait for a node. */
export function waitingOf(
  pod: Pod,
  events: readonly KubeEvent[],
  now: number,
  roomWaitMs: number,
): Waiting | undefined {
  return (
    unscheduled(pod, now, roomWaitMs) ??
    containerWaiting(pod, events, now, SIDECAR) ??
    containerWaiting(pod, events, now, MAIN)
  );
}

function unscheduled(pod: Pod, now: number, roomWaitMs: number): Waiting | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  // The scheduler's words about preemption are about other pods.
  const said =
    scheduled.message?.replace(/\.? (no new claims to deallocate, )?preemption: .*$/, '') || scheduled.reason;
  const code = 'unschedulable';
  const deadline = Date.parse(pod.metadata?.creationTimestamp ?? '') + roomWaitMs;
  if (now >= deadline) {
    const waited = `${Math.round(roomWaitMs / 1000)} seconds`;
    return { reason: `no node could take it for ${waited}: ${said}`, code, hopeless: true };
  }
  const reason = `waiting for a node that can take it: ${said}`;
  return {
    reason,
    code,
    hopeless: false,
    ...(Number.isFinite(deadline) ? { deadline } : {}),
    notice: { key: reason, text: reason },
  };
}

function containerWaiting(pod: Pod, events: readonly KubeEvent[], now: number, name: string): Waiting | undefined {
  const status = containerStatus(pod, name);
  if (status?.state?.running || status?.state?.terminated) {
    return name === SIDECAR ? sidecarRestart(pod, status) : undefined;
  }
  const { reason = '', message = '' } = status?.state?.waiting ?? {};
  const since = waitingSince(pod);
  const said = pullWarning(events, name);
  if (isPullReason(reason) || said) {
    const { fatal, text } = judgePull(imageOf(pod, name), reason, message || said);
    return patiently('image-pull', text, fatal, since + PULL_PATIENCE_MS, now);
  }
  switch (reason) {
    case '':
    case 'ContainerCreating':
    case 'PodInitializing':
      return undefined;
    case 'CrashLoopBackOff':
      return sidecarRestart(pod, status);
    case 'CreateContainerConfigError':
      return patiently('cannot-start', `the container ${name} can't be made: ${message}`, true, since, now);
    default: {
      const text = `the container ${name} can't be started: ${message || reason}`;
      return patiently('cannot-start', text, false, since + RUNTIME_PATIENCE_MS, now);
    }
  }
}

function patiently(code: HostErrorCode, text: string, fatal: boolean, deadline: number, now: number): Waiting {
  if (fatal || now >= deadline) return { code, reason: text, hopeless: true };
  return { code, reason: text, hopeless: false, deadline, notice: { key: text, text: `${text}; trying again` } };
}

function sidecarRestart(pod: Pod, status: ContainerStatus | undefined): Waiting | undefined {
  if (!status || status.state?.running || (status.restartCount === 0 && !status.state?.terminated)) return undefined;
  const reason = `${SIDECAR} in the pod ${pod.metadata?.name} keeps ending (${lastSidecarEnd(pod) ?? 'no reason given'})`;
  const hopeless = status.restartCount >= SIDECAR_LIVES;
  return { code: 'sidecar-lost', reason, hopeless, notice: { key: reason, text: `${reason}; it is started again` } };
}

/** A kubelet warns of a failed pull at once; the pod's status follows ten seconds later. */
function pullWarning(events: readonly KubeEvent[], container: string): string {
  const warning = events.findLast(
    ({ reason, message = '', involvedObject }) =>
      involvedObject.fieldPath?.endsWith(`{${container}}`) &&
      (reason === 'InspectFailed' || (reason === 'Failed' && message.startsWith('Failed to pull image'))),
  );
  return warning?.message?.replace(/^Failed to (pull image|apply default image tag) "[^"]*": /, '') ?? '';
}

function imageOf(pod: Pod, container: string): string {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  return [...initContainers, ...containers].find(({ name }) => name === container)?.image ?? '';
}

/** The time from which a container could have been started. */
function waitingSince(pod: Pod): number {
  const since =
    containerStatus(pod, SIDECAR)?.state?.running?.startedAt ??
    pod.status?.startTime ??
    pod.metadata?.creationTimestamp;
  return since ? Date.parse(since) : 0;
}
