import type { KubeEvent, Pod } from '../api/wire.ts';
import { hideStorePaths } from './image-pull.ts';

/** Something worth a line in the build's log. */
export interface Notice {
  /** Notices with the same key are reported once, however their texts differ. */
  readonly key: string;
  readonly text: string;
}

/** Warnings that help a user, in our words. Warnings that a pod's status explains better are left out. */
const EVENTS: Readonly<Record<string, string>> = {
  FailedCreatePodSandBox: 'the node could not set the pod up',
  FailedMount: 'a volume could not be mounted',
  FailedAttachVolume: 'a volume could not be attached',
  FailedPostStartHook: 'the supervisor could not be put in place',
  NodeNotReady: 'the node does not answer',
  Evicted: 'evicted',
  FailedKillPod: 'the node could not end the pod',
  NetworkNotReady: 'the network of the node is not ready',
  ExceededGracePeriod: 'the node was short of something and did not wait for the process to end',
};

export function noticesOf(pod: Pod, events: readonly KubeEvent[]): Notice[] {
  const notices = new Map<string, Notice>();
  for (const { reason = '', message = '', involvedObject } of events) {
    const words = EVENTS[reason];
    if (!words || involvedObject.uid !== pod.metadata?.uid || notices.has(reason)) continue;
    // The messages of retries differ only in some id, so the reason is the key.
    notices.set(reason, { key: reason, text: `${words}: ${hideStorePaths(message.trim())}` });
  }
  return [...notices.values()];
}
