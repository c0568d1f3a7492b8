import { setTimeout as sleep } from 'node:timers/promises';
import { SIDECAR_PORT } from '@seaplane/baggageclaim';
import { layoutOf, requireInit, runInside } from '@seaplane/dev-cluster';
import type { Fault } from './fault.ts';
import { aimAtPod, hitOn } from './pods.ts';

/** Packets between web and a pod are dropped, or refused; later the way is open again. The witness stays reachable. */
export const podCut: Fault = {
  kind: 'pod-cut',
  causes: [],
  async inject(place, { aim, lengthMs }) {
    const pod = await aimAtPod(place, aim);
    if (!pod?.ip) return undefined;
    const init = await requireInit(place.index);
    const { hostIp } = layoutOf(place.index);
    const action = lengthMs % 2 === 0 ? ['DROP'] : ['REJECT', '--reject-with', 'tcp-reset'];
    const rule = ['FORWARD', '-s', hostIp, '-d', pod.ip, '-p', 'tcp', '--dport', String(SIDECAR_PORT), '-j', ...action];
    const back = ['FORWARD', '-s', pod.ip, '-d', hostIp, '-p', 'tcp', '--sport', String(SIDECAR_PORT), '-j', ...action];
    await runInside(init, ['iptables', '-w', '-I', ...rule]);
    await runInside(init, ['iptables', '-w', '-I', ...back]);
    const healed = sleep(lengthMs * 2).then(async () => {
      // The enforcer of network policies writes the whole chain anew, and may have removed a rule.
      for (const each of [rule, back]) await runInside(init, ['iptables', '-w', '-D', ...each]).catch(() => '');
    });
    const { what, builds } = hitOn(pod);
    return { what: `${what}, ${action[0]} for ${lengthMs * 2} ms`, builds, healed };
  },
};
