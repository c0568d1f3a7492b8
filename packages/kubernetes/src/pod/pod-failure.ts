import type { ContainerStatus, Pod } from '../api/wire.ts';
import { MAIN } from './pod-building.ts';
import { SIDECAR } from './sidecar.ts';

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** Why a pod has ended or is about to, in words; undefined while it has not. */
export function failureOf(pod: Pod): string | undefined {
  const { phase, reason, message } = pod.status ?? {};
  const taken = takenAway(pod);
  if (taken) return taken;
  if (phase === 'Failed' && reason === 'Evicted')
    return `${podWords(pod)} was evicted: ${message ?? 'no reason given'}`;
  // A container that ended says more than the phase that follows from it.
  const main = pod.status?.containerStatuses?.find(({ name }) => name === MAIN)?.state?.terminated;
  if (main) return `${podWords(pod)} has ended: ${ending(pod, main)}`;
  if (phase === 'Failed') return `${podWords(pod)} failed: ${sentence(reason, message) || 'no reason given'}`;
  if (phase === 'Succeeded') return `${podWords(pod)} has ended: its containers exited`;
  if (pod.metadata?.deletionTimestamp) return `${podWords(pod)} was deleted`;
  return undefined;
}

/** Causes that Kubernetes itself records when it takes a pod from its node. */
const DISRUPTIONS: Readonly<Record<string, string>> = {
  PreemptionByScheduler: 'made room for one with a higher priority',
  DeletionByTaintManager: 'was removed because its node does not answer or was tainted',
  EvictionByEvictionAPI: 'was evicted, as a node that is drained does',
  DeletionByPodGC: 'was removed because its node has gone',
  TerminationByKubelet: 'was ended by its node, which is short of something or shuts down',
};

function takenAway(pod: Pod): string | undefined {
  const { reason, conditions = [] } = pod.status ?? {};
  if (reason === 'NodeLost') return `${podWords(pod)} was lost: its node does not answer`;
  const disruption = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (!disruption) return undefined;
  const why = DISRUPTIONS[disruption.reason ?? ''] ?? `was removed (${disruption.reason})`;
  const message = pod.status?.message ?? disruption.message;
  return `${podWords(pod)} ${why}${message ? `: ${message}` : ''}`;
}

function ending(pod: Pod, { reason, exitCode, signal, message }: Terminated): string {
  switch (reason) {
    case 'OOMKilled': {
      const limit = pod.spec?.containers.find(({ name }) => name === MAIN)?.resources?.limits?.['memory'];
      return limit
        ? `it ran out of memory, of which it may use ${limit} (OOMKilled). Raise container_limits.memory`
        : 'its node ran out of memory (OOMKilled). Set container_limits.memory, so that it goes where there is enough';
    }
    case 'StartError':
    case 'ContainerCannotRun':
      return `the container could not be started: ${message ?? reason}`;
    case 'ContainerStatusUnknown':
      return 'its node restarted or was lost, and what became of the process is not known';
    default:
      return `its first process, the supervisor, ${signal ? `was killed by signal ${signal}` : `exited with ${exitCode}`}${message ? `: ${message}` : ''}`;
  }
}

function sentence(reason: string | undefined, message: string | undefined): string {
  return [reason, message].filter(Boolean).join(': ');
}

/** How a sidecar's last run ended, for those who wait for the next. */
export function lastSidecarEnd(pod: Pod): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const status = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === SIDECAR);
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  if (!ended) return undefined;
  return [ended.reason, `exit status ${ended.exitCode}`, ended.message].filter(Boolean).join(', ');
}

function podWords(pod: Pod): string {
  const node = pod.spec?.nodeName;
  return `the pod ${pod.metadata?.name}${node ? ` on node ${node}` : ''}`;
}
