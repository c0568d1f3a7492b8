import type { Clock } from '@seaplane/orchestrator';
import { createOrGet, type Namespace, remove } from '../api/objects.ts';
import { untilPod } from '../api/until-pod.ts';
import type { Pod } from '../api/wire.ts';
import { containerStatus, MAIN } from '../pod/containers.ts';
import { hideStorePaths, isPullReason } from '../pod/image-pull.ts';
import { componentLabels, podName } from '../pod/labels.ts';
import { podSpecBase } from '../pod/pod-building.ts';
import { mergeFields } from '../pod/pod-fields.ts';
import { readPod } from '../pod/pod-status.ts';
import type { Target } from '../target.ts';

const PATIENCE_MS = 20_000;
const TRIES = 3;
const PAUSE_MS = 1_000;

/** A registry's answer about an image that it does not have. Any other words did not come from the store. */
const ANSWERED = /not found|404|unauthorized|forbidden|denied/i;

/**
 * Tests whether nodes reach the store's images at 127.0.0.1, by having a node pull an image that does not exist: the store's
 * refusal proves that the node reached it. Returns the problem in words, or undefined if there is none.
 */
export async function nodePortProblem(
  context: {
    target: Target;
    namespace: Namespace;
    clock: Clock;
    userNamespaces: boolean;
    onTrouble: (error: Error) => void;
  },
  nodePort: number,
  outer: AbortSignal,
): Promise<string | undefined> {
  const { target, namespace, clock } = context;
  const pod = probePod(target, context.userNamespaces, nodePort);
  const name = pod.metadata?.name ?? '';
  const signal = AbortSignal.any([outer, AbortSignal.timeout(PATIENCE_MS)]);
  let state = 'it was not even created';
  let said = '';
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      // Nodes hear of a new store a moment later than web.
      if (tries > 0) await clock.sleep(PAUSE_MS, signal);
      await remove(namespace, 'pods', name, 0, signal); // a pod of the last try, or of a web that was killed
      await createOrGet(namespace, 'pods', pod, signal);
      said = await untilPod(context, name, signal, (seen) => {
        const { reason, message = '' } = (seen && containerStatus(seen, MAIN)?.state?.waiting) ?? {};
        state = JSON.stringify(seen ? readPod(seen, [], 0).state : 'gone');
        return isPullReason(reason) && message ? message : undefined;
      });
      if (ANSWERED.test(said)) return undefined;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!said) return `whether nodes reach the store's images could not be tested in time: ${state}`;
  } finally {
    await remove(namespace, 'pods', name, 0, AbortSignal.timeout(PATIENCE_MS)).catch(context.onTrouble);
  }
  return (
    `nodes do not reach the store's images at 127.0.0.1:${nodePort}, so no step can run from an image that another ` +
    `made: ${hideStorePaths(said)}. kube-proxy must serve NodePorts on localhost, which it does in iptables mode`
  );
}

function probePod(target: Target, userNamespace: boolean, nodePort: number): Pod {
  const fields = mergeFields(target.template, target.locked);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(`probe-${target.name}`),
      namespace: target.namespace,
      labels: { ...fields.labels, ...componentLabels(target, 'probe') },
    },
    spec: {
      ...podSpecBase(fields, userNamespace),
      containers: [
        {
          name: MAIN,
          image: `127.0.0.1:${nodePort}/seaplane/probe:absent`,
          imagePullPolicy: 'Always',
          resources: { requests: { cpu: '1m', memory: '4Mi' } },
          securityContext: { allowPrivilegeEscalation: false },
        },
      ],
    },
  };
}
