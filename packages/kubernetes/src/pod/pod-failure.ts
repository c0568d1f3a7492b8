import type { HostErrorCode } from '@seaplane/orchestrator';
import type { ContainerStatus, Pod } from '../api/wire.ts';
import { containerStatus, MAIN, SIDECAR } from './containers.ts';

/** Why a pod has ended or is about to end: a code for programs, a reason for people. */
export interface PodFailure {
  readonly code: HostErrorCode;
  readonly reason: string;
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** Undefined while the pod has not ended and nothing is about to end it. */
export function failureOf(pod: Pod): PodFailure | undefined {
  const { phase, reason, message } = pod.status ?? {};
  const taken = takenAway(pod);
  if (taken) return taken;
  if (phase === 'Failed' && reason === 'Evicted') {
    return { code: 'evicted', reason: `${podWords(pod)} was evicted: ${message ?? 'no reason given'}` };
  }
  // A container that ended says more than the phase that follows from it.
  const main = containerStatus(pod, MAIN)?.state?.terminated;
  if (main) {
    const { code, reason: why } = ending(pod, main);
    return { code, reason: `${podWords(pod)} has ended: ${why}` };
  }
  if (phase === 'Failed') {
    const why = [reason, message].filter(Boolean).join(': ') || 'no reason given';
    return { code: codeOfRejection(reason), reason: `${podWords(pod)} failed: ${why}` };
  }
  if (phase === 'Succeeded') return { code: 'ended', reason: `${podWords(pod)} has ended: its containers exited` };
  if (pod.metadata?.deletionTimestamp) return { code: 'deleted', reason: `${podWords(pod)} was deleted` };
  return undefined;
}

/** Causes that Kubernetes itself records when it takes a pod from its node. `node` is the node, in words. */
const DISRUPTIONS: Readonly<Record<string, (node: string) => PodFailure>> = {
  PreemptionByScheduler: () => ({ code: 'evicted', reason: 'made room for a pod with a higher priority' }),
  DeletionByTaintManager: (node) => ({
    code: 'node-lost',
    reason: `was removed: ${node} does not answer or was tainted`,
  }),
  EvictionByEvictionAPI: (node) => ({ code: 'evicted', reason: `was evicted: ${node} is being drained` }),
  DeletionByPodGC: (node) => ({ code: 'node-lost', reason: `was removed: ${node} has gone` }),
  TerminationByKubelet: (node) => ({
    code: 'evicted',
    reason: `was ended: ${node} is short of something or shuts down`,
  }),
};

function takenAway(pod: Pod): PodFailure | undefined {
  const { reason, conditions = [] } = pod.status ?? {};
  const name = `the pod ${pod.metadata?.name}`;
  const node = `its node${pod.spec?.nodeName ? ` ${pod.spec.nodeName}` : ''}`;
  if (reason === 'NodeLost') return { code: 'node-lost', reason: `${name} was lost: ${node} does not answer` };
  const disruption = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (!disruption) return undefined;
  const known = DISRUPTIONS[disruption.reason ?? '']?.(node);
  const why = known?.reason ?? `was removed from ${node} (${disruption.reason})`;
  const message = pod.status?.message ?? disruption.message;
  return { code: known?.code ?? 'evicted', reason: `${name} ${why}${message ? ` (${message})` : ''}` };
}

function ending(pod: Pod, { reason, exitCode, signal, message }: Terminated): PodFailure {
  switch (reason) {
    case 'OOMKilled': {
      const limit = pod.spec?.containers.find(({ name }) => name === MAIN)?.resources?.limits?.['memory'];
      return {
        code: 'out-of-memory',
        reason: limit
          ? `it ran out of memory, of which it may use ${limit} (OOMKilled). Raise container_limits.memory`
          : 'its node ran out of memory (OOMKilled). Set container_limits.memory, so that it goes where there is enough',
      };
    }
    case 'StartError':
    case 'ContainerCannotRun':
      return { code: 'cannot-start', reason: `the container could not be started: ${message ?? reason}` };
    case 'ContainerStatusUnknown':
      return {
        code: 'node-lost',
        reason: 'its node restarted or was lost, and what became of the process is not known',
      };
    default: {
      const how = signal ? `was killed by signal ${signal}` : `exited with ${exitCode}`;
      return {
        code: 'ended',
        reason: `its first process, the supervisor, ${how}${message ? `: ${message}` : ''}`,
      };
    }
  }
}

/** Of a pod that failed before its containers ran: its node rejected it, or is shutting down. */
function codeOfRejection(reason = ''): HostErrorCode {
  if (/^OutOf|^Node(Affinity|Name|Ports)$|^UnexpectedAdmissionError$/.test(reason)) return 'unschedulable';
  return /^(NodeShutdown|Shutdown|Terminated)$/.test(reason) ? 'evicted' : 'ended';
}

/** How a sidecar's last run ended, for the words about its next run. */
export function lastSidecarEnd(pod: Pod): string | undefined {
  const status = containerStatus(pod, SIDECAR);
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  if (!ended) return undefined;
  return [ended.reason, `exit status ${ended.exitCode}`, ended.message].filter(Boolean).join(', ');
}

function podWords(pod: Pod): string {
  const node = pod.spec?.nodeName;
  return `the pod ${pod.metadata?.name}${node ? ` on node ${node}` : ''}`;
}
