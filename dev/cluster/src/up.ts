import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuiltImage, buildImages, IMAGE_NAMES, imageRef } from '@seaplane/dev-images';
import { withFileLock } from '@seaplane/dev-toolchain/file-lock.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { writeWhole } from '@seaplane/dev-toolchain/write-whole.ts';
import { removeLeftovers } from './down.ts';
import { makeCgroups } from './host/cgroups.ts';
import { startDaemon, waitFor } from './host/daemons.ts';
import { installHostPackages } from './host/host-packages.ts';
import { prepareSysctls } from './host/kernel.ts';
import { connectLink, masqueradePods } from './host/link.ts';
import { type ClusterInit, findInit, recordInit, runInside, startInit } from './host/namespaces.ts';
import { writePodUsers } from './host/pod-users.ts';
import { requireCluster } from './host/requirements.ts';
import { AdminApi } from './kubernetes/api.ts';
import { type ClusterBinaries, clusterBinaries } from './kubernetes/binaries.ts';
import { runCheckPod } from './kubernetes/check-pod.ts';
import * as components from './kubernetes/components.ts';
import { configFiles } from './kubernetes/config-files.ts';
import { makePki } from './kubernetes/pki.ts';
import { type Layout, layoutOf, lockFileOf, MACHINE_LOCK } from './layout.ts';

export interface RunningCluster {
  readonly index: number;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Path of a kubectl of the cluster's version. */
  readonly kubectl: string;
}

/** Brings cluster `index` up, or finds it up. Components that run are left alone; those that died are started again. */
export async function up(index: number, progress: Progress): Promise<RunningCluster> {
  const layout = layoutOf(index);
  requireCluster();
  await installHostPackages(progress);
  const binaries = await clusterBinaries(progress);
  const images = await buildImages(IMAGE_NAMES, progress);
  await withFileLock(
    lockFileOf(index),
    () => start(layout, binaries, images, progress),
    () => progress(`waiting for another command that works on cluster ${index} ...`),
  );
  return { index, kubeconfig: layout.kubeconfig, kubectl: join(binaries.kube, 'kubectl') };
}

async function start(
  layout: Layout,
  binaries: ClusterBinaries,
  images: readonly BuiltImage[],
  progress: Progress,
): Promise<void> {
  const init = (await findInit(layout)) ?? (await startFresh(layout, progress));
  await masqueradePods(layout, init);
  await makePki(layout);
  await writeConfigFiles(layout, binaries);
  await writePodUsers(layout);

  await startDaemon(layout, init, components.etcd(layout, binaries));
  await startDaemon(layout, init, components.containerd(layout, binaries));
  await startDaemon(layout, init, components.apiServer(layout, binaries)); // it waits for etcd by itself
  await loadImages(layout, binaries, images, progress);

  using api = await AdminApi.open(layout);
  await waitFor(layout, 'apiserver', 'API server', async () => (await api.get('/readyz')) === 'ok');
  progress('API server ready');
  await startDaemon(layout, init, components.controllerManager(layout, binaries));
  await startDaemon(layout, init, components.scheduler(layout, binaries));
  await startDaemon(layout, init, components.kubelet(layout, binaries));
  await startDaemon(layout, init, components.proxy(layout, binaries));

  await waitFor(layout, 'kubelet', 'ready node', () => nodeIsReady(api, layout));
  await startDaemon(layout, init, components.policyEnforcer(layout, binaries)); // it ends when it finds no node
  progress('node ready');
  await waitFor(layout, 'controllers', 'default service account', async () => Boolean(await api.get(DEFAULT_ACCOUNT)));
  await waitFor(layout, 'policy', 'NetworkPolicy enforcement', () => enforcesPolicies(init));
  await runCheckPod(layout, api);
  progress(`cluster ${layout.index} is up: export KUBECONFIG=${layout.kubeconfig}`);
}

/** The enforcer's chains are there once it has seen the cluster. */
async function enforcesPolicies(init: ClusterInit): Promise<boolean> {
  return (await runInside(init, ['iptables', '-w', '-S', 'FORWARD'])).includes('KUBE-ROUTER-FORWARD');
}

const DEFAULT_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

/** First removes everything that an earlier run left when it crashed. */
async function startFresh(layout: Layout, progress: Progress): Promise<ClusterInit> {
  progress(`starting cluster ${layout.index} ...`);
  await removeLeftovers(layout);
  for (const name of ['log', 'pid', 'cni', 'pki']) await mkdir(join(layout.state, name), { recursive: true });
  // Until it is recorded, a `down` of the last other cluster would put the machine's settings back under it.
  return withFileLock(MACHINE_LOCK, async () => {
    await prepareSysctls();
    await makeCgroups(layout);
    const init = await startInit(layout);
    await connectLink(layout, init);
    await recordInit(layout, init);
    return init;
  });
}

async function writeConfigFiles(layout: Layout, binaries: ClusterBinaries): Promise<void> {
  for (const [name, content] of Object.entries(configFiles(layout, binaries, imageRef('pause')))) {
    const path = join(layout.state, name);
    if ((await readFile(path, 'utf8').catch(() => undefined)) === content) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, content); // containerd watches its CNI directory and must not see half a file
  }
}

async function loadImages(
  layout: Layout,
  binaries: ClusterBinaries,
  images: readonly BuiltImage[],
  progress: Progress,
): Promise<void> {
  const ctr = (...args: string[]) =>
    run(join(binaries.containerd, 'ctr'), ['-a', layout.criSocket, '-n', 'k8s.io', ...args]);
  await waitFor(layout, 'containerd', 'containerd', async () => (await ctr('version')).code === 0);
  const { stdout } = await ctr('images', 'ls');
  const missing = images.filter(
    ({ ref, digest }) => !stdout.split('\n').some((line) => line.startsWith(`${ref} `) && line.includes(digest)),
  );
  for (const image of missing) await ctr('images', 'import', '--snapshotter', 'overlayfs', image.archive);
  if (missing.length > 0) progress(`images loaded: ${missing.map(({ name }) => name).join(' ')}`);
}

interface Node {
  readonly spec: { readonly taints?: readonly unknown[] };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function nodeIsReady(api: AdminApi, layout: Layout): Promise<boolean> {
  const { spec, status } = await api.get<Node>(`/api/v1/nodes/${layout.nodeName}`);
  const ready = status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && !spec.taints?.length;
}
