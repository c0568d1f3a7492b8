import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDaemonAlive, startDaemon, waitFor } from './host/daemons.ts';
import { type ClusterInit, findInit } from './host/namespaces.ts';
import { recordedPid } from './host/recorded-process.ts';
import { AdminApi } from './kubernetes/api.ts';
import type { ClusterBinaries } from './kubernetes/binaries.ts';
import * as components from './kubernetes/components.ts';
import { layoutOf } from './layout.ts';

const COMPONENTS = { apiserver: components.apiServer, kubelet: components.kubelet } as const;

/** A component that may be away for a while: the others, and the pods, go on. */
export type FragileComponent = keyof typeof COMPONENTS;

/** Ends a component with SIGKILL. It stays away until {@link startComponent}, or the next `up`. */
export async function killComponent(index: number, name: FragileComponent): Promise<void> {
  const layout = layoutOf(index);
  const waiter = await recordedPid(layout, name);
  if (!waiter) return;
  const children = await readFile(`/proc/${waiter}/task/${waiter}/children`, 'utf8').catch(() => '');
  const daemon = Number(children.split(' ')[0]);
  if (!daemon) return; // it has ended by itself
  process.kill(daemon, 'SIGKILL');
  while (await isDaemonAlive(layout, name)) await sleep(10);
}

/** Starts a component again and returns when the API server answers, which may be away itself. Leaves a component that runs alone. */
export async function startComponent(index: number, name: FragileComponent, binaries: ClusterBinaries): Promise<void> {
  const layout = layoutOf(index);
  await startDaemon(layout, await requireInit(index), COMPONENTS[name](layout, binaries));
  using api = await AdminApi.open(layout);
  await waitFor(layout, name, 'API server', async () => (await api.get('/readyz')) === 'ok');
}

/**
 * Starts the other components that have died: a scheduler or a controller ends by itself when the API server was away for
 * long, or its cache is wrong. Leaves the fragile ones alone.
 */
export async function reviveComponents(index: number, binaries: ClusterBinaries): Promise<void> {
  const layout = layoutOf(index);
  const init = await requireInit(index);
  const { controllerManager, scheduler, proxy, policyEnforcer } = components;
  for (const component of [controllerManager, scheduler, proxy, policyEnforcer]) {
    await startDaemon(layout, init, component(layout, binaries));
  }
}

/** The cluster's first process. Every other process of the cluster is in its PID namespace. */
export async function requireInit(index: number): Promise<ClusterInit> {
  const init = await findInit(layoutOf(index));
  if (!init) throw new Error(`cluster ${index} is not up`);
  return init;
}
