import type { Place } from '../place/place.ts';
import { kubectl, listPods, type ShownPod } from '../place/pods.ts';
import { at } from '../random.ts';
import type { Fault, Injected } from './fault.ts';

/** One of the steps' pods that run. Undefined if there is none, or the API server is away. */
export async function aimAtPod(place: Place, aim: number): Promise<ShownPod | undefined> {
  const pods = await listPods(place).catch(() => []);
  const running = pods.filter(({ component, phase, goes }) => component === 'step' && phase === 'Running' && !goes);
  // Pods that checks share live long, and would be hit most of the time.
  const ofBuilds = running.filter(({ buildId }) => buildId !== undefined);
  const weighed = [...ofBuilds, ...ofBuilds, ...ofBuilds, ...running];
  return weighed.length > 0 ? at(weighed, aim) : undefined;
}

/** A pod that checks share may hit any build. */
export function hitOn({ name, step, buildId }: ShownPod, healed: Promise<void> = Promise.resolve()): Injected {
  return { what: `${name} (${step})`, builds: buildId === undefined ? 'all' : [buildId], healed };
}

/** The pod is lost, or something that it kept for a later step. */
export const LOST = [/has gone: it was deleted/, /was deleted/, /the artifact .* has gone/];

export const podDeleted: Fault = {
  kind: 'pod-deleted',
  causes: LOST,
  async inject(place, { aim, lengthMs }) {
    const pod = await aimAtPod(place, aim);
    if (!pod) return undefined;
    const grace = lengthMs % 2 === 0 ? ['--grace-period=0', '--force'] : [];
    await kubectl(place, ['delete', 'pod', pod.name, '--wait=false', ...grace]);
    return hitOn(pod);
  },
};

export const podEvicted: Fault = {
  kind: 'pod-evicted',
  causes: [...LOST, /was evicted/],
  async inject(place, { aim }) {
    const pod = await aimAtPod(place, aim);
    if (!pod) return undefined;
    const { namespace } = place;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.name, namespace } };
    const path = `/api/v1/namespaces/${namespace}/pods/${pod.name}/eviction`;
    await kubectl(place, ['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
    return hitOn(pod);
  },
};
