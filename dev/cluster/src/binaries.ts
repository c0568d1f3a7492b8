import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { downloadGoModule, type GoModule, goBuild, requireGo } from '@seaplane/dev-toolchain/go.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';

const KUBERNETES_VERSION = '1.36.3';
const CONTAINERD: GoModule = { path: 'github.com/containerd/containerd/v2', version: 'v2.2.9' };
const RUNC: GoModule = { path: 'github.com/opencontainers/runc', version: 'v1.4.3' };
const KUBE_ROUTER: GoModule = {
  path: 'github.com/cloudnativelabs/kube-router/v2',
  version: 'v2.1.0',
  sum: 'h1:xWsptKtmZ44L+NjwFKoFAFlVdxCz8fka9A/eYJe95Ok=',
};

const KUBE_NAMES = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
  'etcd',
];

/** Directories of built programs, each on its own so that changing one pin rebuilds one thing. */
export interface ClusterBinaries {
  /** kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy, kubectl, etcd */
  readonly kube: string;
  /** containerd, containerd-shim-runc-v2, ctr */
  readonly containerd: string;
  readonly runc: string;
  readonly kubeRouter: string;
}

/** Builds what is not in the cache yet (about nine minutes on two cores, the first time) and says where it is. */
export async function clusterBinaries(progress: Progress): Promise<ClusterBinaries> {
  // One after another: each Go build uses every core by itself.
  const { containerd, runc } = await containerBinaries(progress);
  return { kube: await kube(progress), containerd, runc, kubeRouter: await kubeRouter(progress) };
}

/** The part that runs containers without a cluster. */
export async function containerBinaries(progress: Progress): Promise<Pick<ClusterBinaries, 'containerd' | 'runc'>> {
  return { containerd: await containerd(progress), runc: await runc(progress) };
}

/** kubectl alone, for talking to a cluster of the user's own. */
export async function kubectlBinary(progress: Progress): Promise<string> {
  return join(await kube(progress), 'kubectl');
}

async function kube(progress: Progress): Promise<string> {
  const source = join(import.meta.dirname, '../kube');
  const files = await Promise.all(['main.go', 'go.mod', 'go.sum'].map((name) => readFile(join(source, name))));
  return buildOnce({
    name: 'go/kube',
    inputs: [KUBERNETES_VERSION, ...files],
    progress,
    build: async (into) => {
      await requireGo();
      const version = 'k8s.io/component-base/version';
      const [major, minor] = KUBERNETES_VERSION.split('.');
      const stamps = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor };
      const linkerFlags = Object.entries(stamps)
        .map(([name, value]) => `-X ${version}.${name}=${value}`)
        .join(' ');
      await goBuild({ dir: source, packages: ['.'], output: join(into, 'kube'), linkerFlags });
      for (const name of KUBE_NAMES) await symlink('kube', join(into, name));
    },
  });
}

async function containerd(progress: Progress): Promise<string> {
  return buildOnce({
    name: 'go/containerd',
    inputs: [CONTAINERD.version],
    progress,
    build: async (output) => {
      await requireGo();
      const dir = await downloadGoModule(CONTAINERD);
      const packages = ['./cmd/containerd', './cmd/containerd-shim-runc-v2', './cmd/ctr'];
      await goBuild({ dir, packages, output: `${output}/`, tags: ['no_btrfs', 'no_devmapper', 'no_zfs'] });
    },
  });
}

async function runc(progress: Progress): Promise<string> {
  return buildOnce({
    name: 'go/runc',
    inputs: [RUNC.version],
    progress,
    build: async (into) => {
      await requireGo();
      await ensureDebianPackages(['gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config'], progress);
      const dir = await downloadGoModule(RUNC);
      await goBuild({ dir, packages: ['.'], output: join(into, 'runc'), tags: ['seccomp'], cgo: true });
    },
  });
}

async function kubeRouter(progress: Progress): Promise<string> {
  return buildOnce({
    name: 'go/kube-router',
    inputs: [KUBE_ROUTER.version],
    progress,
    build: async (into) => {
      await requireGo();
      const dir = await downloadGoModule(KUBE_ROUTER);
      await goBuild({ dir, packages: ['./cmd/kube-router'], output: join(into, 'kube-router') });
    },
  });
}
