import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterIsUp, down, kubectlBinary, targetKubeconfig, up, whyNoCluster } from '@seaplane/dev-cluster';
import { imageRef } from '@seaplane/dev-images';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { buildFly } from '../concourse/fly.ts';
import type { Host, RunningHost } from './host.ts';
import { type OutsideNetwork, openOutsideNetwork } from './outside-network.ts';
import { SUITE_SETTINGS, startOwnWeb } from './web.ts';

const DEVELOPMENT_CLUSTER = 0;
const NETWORK_PACKAGES = ['iproute2', 'iptables', 'util-linux'];

/**
 * Our own web with its steps on a cluster: the one that KUBECONFIG names; else the development cluster 0, which is left
 * as it was found, since starting it takes longer than most specs. Each run has a namespace of its own.
 */
export const kubernetesHost: Host = {
  name: 'kubernetes',
  whyNot: () => (process.env['KUBECONFIG'] ? undefined : whyNoCluster()),
  start: (progress, version) => start('kubernetes', progress, version),
};

/** The same, but web is in a network from which it reaches the API server and nothing else, pods least of all. */
export const kubernetesOutsideHost: Host = {
  name: 'kubernetes-outside',
  whyNot() {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      return 'it makes a network namespace: it needs Linux and root';
    return kubernetesHost.whyNot?.() ?? whyNoPackages(NETWORK_PACKAGES);
  },
  start: (progress, version) => start('kubernetes-outside', progress, version),
};

async function start(
  host: 'kubernetes' | 'kubernetes-outside',
  progress: Progress,
  version?: string,
): Promise<RunningHost> {
  const place = await prepareNamespace(progress);
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-targets-'));
  let network: OutsideNetwork | undefined;
  const cleanUp = async () => {
    await network?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
    await place.remove();
  };
  try {
    const targets = join(directory, 'targets.json');
    await writeFile(targets, JSON.stringify([targetIn(place)]));
    const env = {
      ...SUITE_SETTINGS,
      SEAPLANE_TARGETS: targets,
      SEAPLANE_FLY_DIR: (await buildFly(progress, version)).artifacts,
      ...(version ? { SEAPLANE_CONCOURSE_VERSION: version } : {}),
    };
    if (host === 'kubernetes-outside') {
      await ensureDebianPackages(NETWORK_PACKAGES, progress);
      network = await openOutsideNetwork([await serverOf(place.kubeconfig, progress)]);
    }
    const web = await startOwnWeb(host, env, progress, network ? { network } : {});
    return {
      ...web,
      stop: async () => {
        await web.stop();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

interface Place {
  readonly kubeconfig: string;
  readonly namespace: string;
  remove(): Promise<void>;
}

function targetIn({ kubeconfig, namespace }: Place): object {
  return {
    name: 'conformance',
    kubeconfig,
    namespace,
    allowPrivileged: true,
    allowRawSockets: true, // BusyBox in the image mock cannot ping without them
    images: { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } },
  };
}

async function prepareNamespace(progress: Progress): Promise<Place> {
  const namespace = `conformance-${randomBytes(3).toString('hex')}`;
  const kubectl = await kubectlBinary(progress);
  const given = process.env['KUBECONFIG'];
  const admin = (kubeconfig: string, ...args: string[]) => run(kubectl, ['--kubeconfig', kubeconfig, ...args]);
  if (given) {
    await admin(given, 'create', 'namespace', namespace);
    const remove = async () => void (await admin(given, 'delete', 'namespace', namespace, '--wait=false'));
    return { kubeconfig: given, namespace, remove };
  }
  const wasUp = await clusterIsUp(DEVELOPMENT_CLUSTER);
  const cluster = await up(DEVELOPMENT_CLUSTER, progress);
  const remove = async () => {
    const words = ['delete', 'namespace', namespace, '--wait=false', '--ignore-not-found'];
    if (wasUp) await admin(cluster.kubeconfig, ...words);
    else await down(DEVELOPMENT_CLUSTER, progress);
  };
  try {
    // With just the rights that operators are asked for.
    const kubeconfig = await targetKubeconfig(DEVELOPMENT_CLUSTER, namespace, kubectl, progress);
    return { kubeconfig, namespace, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The address of the API server that a kubeconfig names. */
async function serverOf(kubeconfig: string, progress: Progress): Promise<URL> {
  const path = 'jsonpath={.clusters[0].cluster.server}';
  const args = ['--kubeconfig', kubeconfig, 'config', 'view', '--minify', '-o', path];
  return new URL((await run(await kubectlBinary(progress), args)).stdout.trim());
}
