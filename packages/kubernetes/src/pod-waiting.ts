import { isPullReason, judgePull, PULL_PATIENCE_MS } from './image-pull.ts';
import { MAIN } from './pod-building.ts';
import { lastSidecarEnd } from './pod-failure.ts';
import type { Notice } from './pod-notices.ts';
import { SIDECAR } from './sidecar.ts';
import type { ContainerStatus, KubeEvent, Pod } from './wire.ts';

/** What a pod waits for, when it is something worth telling. */
export interface Waiting {
  readonly reason: string;
  /** It will not come. */
  readonly hopeless: boolean;
  /** When patience ends. */
  readonly deadline?: number;
  readonly notice?: Notice;
}

/** The node's runtime is busy or stumbles, which it mostly recovers from. */
const RUNTIME_PATIENCE_MS = 2 * 60_000;
/** A sidecar that has died this often is not going to live. */
const SIDECAR_LIVES = 3;

export function waitingOf(pod: Pod, events: readonly KubeEvent[], now: number): Waiting | undefined {
  return unscheduled(pod) ?? containerWaiting(pod, events, now, SIDECAR) ?? containerWaiting(pod, events, now, MAIN);
}

function unscheduled(pod: Pod): Waiting | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  // What the scheduler says of preemption after it is about other pods.
  const said =
    scheduled.message?.replace(/\.? (no new claims to deallocate, )?preemption: .*$/, '') || scheduled.reason;
  const reason = `waiting for a node that can take it: ${said}`;
  return { reason, hopeless: false, notice: { key: reason, text: reason } };
}

function containerWaiting(pod: Pod, events: readonly KubeEvent[], now: number, name: string): Waiting | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const status = statuses.find((candidate) => candidate.name === name);
  const { reason, message = '' } = status?.state?.waiting ?? {};
  if (!status || !reason || reason === 'ContainerCreating' || reason === 'PodInitializing') {
    return name === SIDECAR ? sidecarRestart(pod, status) : undefined;
  }
  const since = waitingSince(pod);
  if (isPullReason(reason)) {
    const { fatal, text } = judgePull(status.image, reason, message || pullMessage(events));
    return patiently(text, fatal, since + PULL_PATIENCE_MS, now);
  }
  switch (reason) {
    case 'CrashLoopBackOff':
      return sidecarRestart(pod, status);
    case 'CreateContainerConfigError':
      return patiently(`the container ${name} can't be made: ${message}`, true, since, now);
    default:
      return patiently(
        `the container ${name} can't be started: ${message || reason}`,
        false,
        since + RUNTIME_PATIENCE_MS,
        now,
      );
  }
}

function patiently(text: string, fatal: boolean, deadline: number, now: number): Waiting {
  if (fatal || now >= deadline) return { reason: text, hopeless: true };
  return { reason: text, hopeless: false, deadline, notice: { key: text, text: `${text}; trying again` } };
}

function sidecarRestart(pod: Pod, status: ContainerStatus | undefined): Waiting | undefined {
  if (!status || status.state?.running || (status.restartCount === 0 && !status.state?.terminated)) return undefined;
  const reason = `${SIDECAR} in the pod ${pod.metadata?.name} keeps ending (${lastSidecarEnd(pod) ?? 'no reason given'})`;
  const hopeless = status.restartCount >= SIDECAR_LIVES;
  return { reason, hopeless, notice: { key: reason, text: `${reason}; it is started again` } };
}

/** Older kubelets put the cause only into an event. */
function pullMessage(events: readonly KubeEvent[]): string {
  return events.findLast(({ reason, message }) => reason === 'Failed' && message?.includes('pull'))?.message ?? '';
}

/** From when a container could have been started. */
function waitingSince(pod: Pod): number {
  const sidecar = pod.status?.initContainerStatuses?.find(({ name }) => name === SIDECAR);
  const since = sidecar?.state?.running?.startedAt ?? pod.status?.startTime ?? pod.metadata?.creationTimestamp;
  return since ? Date.parse(since) : 0;
}
