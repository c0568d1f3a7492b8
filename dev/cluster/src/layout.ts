import { join } from 'node:path';

/** One directory a cluster; short, because unix socket paths end at 108 bytes. */
const STATE_ROOT = '/var/lib/seaplane-dev';

export const MAX_CLUSTER_INDEX = 9;

/**
 * Every name and address of one cluster. Clusters live in network namespaces of their own, so they share ports freely;
 * only what is visible from the host differs: the link's name, the routed networks, the cgroup, the directory.
 */
export interface Layout {
  readonly index: number;
  readonly state: string;
  readonly nodeName: string;
  readonly nodeIp: string;
  /** The host's end of the link to the cluster. */
  readonly hostLink: string;
  readonly hostIp: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly apiServiceIp: string;
  readonly apiUrl: string;
  readonly cgroup: string;
  readonly criSocket: string;
  readonly kubeconfig: string;
}

export const PORTS = { api: 6443, kubelet: 10250, etcd: 2379, etcdPeer: 2380 } as const;

export function layoutOf(index: number): Layout {
  if (!Number.isInteger(index) || index < 0 || index > MAX_CLUSTER_INDEX) {
    throw new RangeError(`clusters are numbered 0 to ${MAX_CLUSTER_INDEX}`);
  }
  const state = join(STATE_ROOT, `c${index}`);
  const nodeIp = `10.200.${index}.2`;
  return {
    index,
    state,
    nodeName: `node${index}`,
    nodeIp,
    hostLink: `seaplane${index}`,
    hostIp: `10.200.${index}.1`,
    podCidr: `10.${244 + index}.0.0/24`,
    serviceCidr: `10.${96 + index}.0.0/16`,
    apiServiceIp: `10.${96 + index}.0.1`,
    apiUrl: `https://${nodeIp}:${PORTS.api}`,
    cgroup: `seaplane-c${index}`,
    criSocket: join(state, 'containerd.sock'),
    kubeconfig: join(state, 'admin.kubeconfig'),
  };
}

/** A target's kubeconfig, in a folder of its own: a namespace may be called `admin`. */
export function targetKubeconfigFile({ state }: Layout, namespace: string): string {
  return join(state, 'targets', `${namespace}.kubeconfig`);
}

/** Where containerd looks, at each pull, how to talk to a registry: a folder for each, named `HOST:PORT`. */
export function registriesDirectory({ state }: Layout): string {
  return join(state, 'registries');
}

export function lockFileOf(index: number): string {
  return join(STATE_ROOT, `c${index}.lock`);
}

/** Held while what all clusters share on the machine is changed: kernel settings, mount points. */
export const MACHINE_LOCK = join(STATE_ROOT, 'machine.lock');

/** The mount points that did not exist before the first cluster, kept until the last one is gone. */
export const MOUNT_POINTS_MADE = join(STATE_ROOT, 'mount-points.json');

/** The cgroup controllers that the first cluster has enabled for the whole machine, kept until the last one is gone. */
export const CONTROLLERS_ENABLED = join(STATE_ROOT, 'cgroup-controllers');

/** Kernel settings as they were before the first cluster, kept until the last one is gone. */
export const SYSCTL_BACKUP = join(STATE_ROOT, 'sysctl.json');
