import { type RunResult, run } from '@seaplane/dev-toolchain/run.ts';
import type { Layout } from '../layout.ts';
import { type ClusterInit, runInside } from './namespaces.ts';

/**
 * Joins the cluster's network namespace to the host by a pair of virtual devices. The host can then reach the node, its
 * pods and its services by address, and so can other clusters, through the host.
 */
export async function connectLink(layout: Layout, init: ClusterInit): Promise<void> {
  await removeHostLink(layout);
  const { hostLink, hostIp, nodeIp } = layout;
  await ip(`link add ${hostLink} type veth peer name uplink netns ${init.pid}`);
  await ip(`addr add ${hostIp}/30 dev ${hostLink}`);
  await ip(`link set ${hostLink} up`);
  for (const words of [
    'link set lo up',
    `addr add ${nodeIp}/30 dev uplink`,
    'link set uplink up',
    `route add default via ${hostIp}`,
  ]) {
    await runInside(init, ['ip', ...words.split(' ')]);
  }
  await runInside(init, [
    'sh',
    '-c',
    'echo 1 >/proc/sys/net/ipv4/ip_forward && echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables',
  ]);
  await ip(`route replace ${layout.podCidr} via ${nodeIp}`);
  await ip(`route replace ${layout.serviceCidr} via ${nodeIp}`);
  // Without a way out, as on a machine that is offline, there is nothing to translate.
  const device = await defaultDevice();
  if (device) await run('iptables', ['-w', '-t', 'nat', '-A', 'POSTROUTING', ...masquerade(layout, device)]);
}

/** Gives packets of pods to the world outside the node's address, which the host knows. The rule goes with the namespace. */
export async function masqueradePods({ podCidr }: Layout, init: ClusterInit): Promise<void> {
  const rule = `POSTROUTING -s ${podCidr} ! -d ${podCidr} -j MASQUERADE`;
  const iptables = 'iptables -w -t nat';
  await runInside(init, ['sh', '-c', `${iptables} -C ${rule} 2>/dev/null || ${iptables} -A ${rule}`]);
}

/** Removes what {@link connectLink} made on the host, also of an earlier run that crashed. Routes go with the device. */
export async function removeHostLink(layout: Layout): Promise<void> {
  await runIfThere('ip', ['link', 'del', layout.hostLink]);
  for (const rule of await hostRules(layout)) {
    await run('sh', ['-c', `iptables -w -t nat ${rule.replace(/^-A/, '-D')}`], { ok: 'any' });
  }
}

/** Whether the host still has this cluster's device or packet filter rules. */
export async function hostLinkLeftovers(layout: Layout): Promise<string[]> {
  const device = await runIfThere('ip', ['-o', 'link', 'show', layout.hostLink]);
  return [...(device?.code === 0 ? [`network device ${layout.hostLink}`] : []), ...(await hostRules(layout))];
}

async function hostRules(layout: Layout): Promise<string[]> {
  const rules = await runIfThere('iptables', ['-w', '-t', 'nat', '-S', 'POSTROUTING']);
  return rules?.stdout.split('\n').filter((line) => line.includes(comment(layout))) ?? [];
}

function masquerade(layout: Layout, device: string): string[] {
  const match = ['-s', layout.nodeIp, '-o', device, '-m', 'comment', '--comment', comment(layout)];
  return [...match, '-j', 'MASQUERADE'];
}

function comment(layout: Layout): string {
  return `${layout.hostLink}-out`;
}

async function defaultDevice(): Promise<string | undefined> {
  const { stdout } = await run('ip', ['route', 'show', 'default'], { ok: 'any' });
  return / dev (\S+)/.exec(stdout)?.[1];
}

/** `up` installs these tools first: where one is missing there never was a cluster, and nothing is left of any. */
async function runIfThere(command: string, args: readonly string[]): Promise<RunResult | undefined> {
  return run(command, args, { ok: 'any' }).catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') throw error;
    return undefined;
  });
}

async function ip(words: string): Promise<void> {
  await run('ip', words.split(' '));
}
