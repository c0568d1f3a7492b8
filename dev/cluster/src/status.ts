import { assertNever } from '@seaplane/config';
import { leftovers } from './down.ts';
import { isDaemonAlive } from './host/daemons.ts';
import { findInit } from './host/namespaces.ts';
import { AdminApi } from './kubernetes/api.ts';
import { layoutOf, MAX_CLUSTER_INDEX } from './layout.ts';

const DAEMONS = ['etcd', 'containerd', 'apiserver', 'controllers', 'scheduler', 'kubelet', 'proxy', 'policy'];

export type ClusterStatus =
  | { readonly index: number; readonly state: 'down' }
  | { readonly index: number; readonly state: 'crashed'; readonly left: readonly string[] }
  | { readonly index: number; readonly state: 'broken'; readonly dead: readonly string[] }
  | { readonly index: number; readonly state: 'up'; readonly kubeconfig: string; readonly pods: number };

export async function status(index: number): Promise<ClusterStatus> {
  const layout = layoutOf(index);
  if (!(await findInit(layout))) {
    const left = await leftovers(index);
    return left.length > 0 ? { index, state: 'crashed', left } : { index, state: 'down' };
  }
  const dead: string[] = [];
  for (const name of DAEMONS) if (!(await isDaemonAlive(layout, name))) dead.push(name);
  if (dead.length > 0) return { index, state: 'broken', dead };
  using api = await AdminApi.open(layout);
  const { items } = await api.get<{ items: unknown[] }>('/api/v1/pods');
  return { index, state: 'up', kubeconfig: layout.kubeconfig, pods: items.length };
}

export async function clusterIsUp(index: number): Promise<boolean> {
  return (await status(index)).state === 'up';
}

/** Every cluster that is not simply down. */
export async function allStatuses(): Promise<ClusterStatus[]> {
  const all: ClusterStatus[] = [];
  for (let index = 0; index <= MAX_CLUSTER_INDEX; index++) all.push(await status(index));
  return all.filter(({ state }) => state !== 'down');
}

export function describeStatus(status: ClusterStatus): string {
  const name = `cluster ${status.index}`;
  switch (status.state) {
    case 'down':
      return `${name}: down`;
    case 'crashed':
      return `${name}: crashed; \`up\` and \`down\` both clean up:\n${status.left.map((line) => `  ${line}`).join('\n')}`;
    case 'broken':
      return `${name}: these have died and \`up\` starts them again: ${status.dead.join(', ')}`;
    case 'up':
      return `${name}: up, ${status.pods} pods; export KUBECONFIG=${status.kubeconfig}`;
    default:
      return assertNever(status);
  }
}
