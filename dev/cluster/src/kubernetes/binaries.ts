import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOnce, buildOnce, isBuilt } from '@seaplane/dev-toolchain/build-once.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { downloadGoModule, type GoModule, goBuild, requireGo } from '@seaplane/dev-toolchain/go.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoGo } from '@seaplane/dev-toolchain/requirements.ts';
import { crunProgram, isCrunBuilt } from './crun.ts';

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
  /** The program that makes containers. */
  readonly runtime: string;
  readonly kubeRouter: string;
}

/** Builds what is not in the cache yet (about nine minutes on two cores, the first time) and says where it is. */
export async function clusterBinaries(progress: Progress): Promise<ClusterBinaries> {
  // One after another: each Go build uses every core by itself.
  return {
    containerd: await build(containerd(), progress),
    runtime: (await crunProgram(progress)) ?? join(await build(runc(), progress), 'runc'),
    kube: await build(kube(), progress),
    kubeRouter: await build(kubeRouter(), progress),
  };
}

/** Directories of the programs that run containers without a cluster. */
export async function containerBinaries(progress: Progress): Promise<{ containerd: string; runc: string }> {
  return { containerd: await build(containerd(), progress), runc: await build(runc(), progress) };
}

/** kubectl alone, for talking to a cluster of the user's own. */
export async function kubectlBinary(progress: Progress): Promise<string> {
  return join(await build(kube(), progress), 'kubectl');
}

/** Why the cluster's programs can't be built here; undefined when they can, or have been. */
export function whyNoBinaries(): string | undefined {
  const isRuntimeBuilt = isCrunBuilt() || isBuilt(runc());
  return isRuntimeBuilt && [kube(), containerd(), kubeRouter()].every(isBuilt) ? undefined : whyNoGo();
}

/** The same for kubectl alone. */
export function whyNoKubectl(): string | undefined {
  return isBuilt(kube()) ? undefined : whyNoGo();
}

interface Recipe extends Pick<BuildOnce, 'name' | 'inputs'> {
  readonly make: (into: string, progress: Progress) => Promise<void>;
}

async function build({ name, inputs, make }: Recipe, progress: Progress): Promise<string> {
  return buildOnce({
    name,
    inputs,
    progress,
    build: async (into) => {
      await requireGo();
      await make(into, progress);
    },
  });
}

function kube(): Recipe {
  const source = join(import.meta.dirname, '../../kube');
  const files = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(join(source, name)));
  return {
    name: 'go/kube',
    inputs: [KUBERNETES_VERSION, ...files],
    make: async (into) => {
      const version = 'k8s.io/component-base/version';
      const [major, minor] = KUBERNETES_VERSION.split('.');
      const stamps = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor };
      const linkerFlags = Object.entries(stamps)
        .map(([name, value]) => `-X ${version}.${name}=${value}`)
        .join(' ');
      await goBuild({ dir: source, packages: ['.'], output: join(into, 'kube'), linkerFlags });
      for (const name of KUBE_NAMES) await symlink('kube', join(into, name));
    },
  };
}

function containerd(): Recipe {
  return {
    name: 'go/containerd',
    inputs: [CONTAINERD.version],
    make: async (output) => {
      const dir = await downloadGoModule(CONTAINERD);
      const packages = ['./cmd/containerd', './cmd/containerd-shim-runc-v2', './cmd/ctr'];
      await goBuild({ dir, packages, output: `${output}/`, tags: ['no_btrfs', 'no_devmapper', 'no_zfs'] });
    },
  };
}

function runc(): Recipe {
  return {
    name: 'go/runc',
    inputs: [RUNC.version],
    make: async (into, progress) => {
      await ensureDebianPackages(['gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config'], progress);
      const dir = await downloadGoModule(RUNC);
      await goBuild({ dir, packages: ['.'], output: join(into, 'runc'), tags: ['seccomp'], cgo: true });
    },
  };
}

function kubeRouter(): Recipe {
  return {
    name: 'go/kube-router',
    inputs: [KUBE_ROUTER.version],
    make: async (into) => {
      const dir = await downloadGoModule(KUBE_ROUTER);
      await goBuild({ dir, packages: ['./cmd/kube-router'], output: join(into, 'kube-router') });
    },
  };
}
