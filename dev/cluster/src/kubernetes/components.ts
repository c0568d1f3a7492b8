import { join } from 'node:path';
import type { Daemon } from '../host/daemons.ts';
import { withPodUsers } from '../host/pod-users.ts';
import { type Layout, PORTS } from '../layout.ts';
import type { ClusterBinaries } from './binaries.ts';
import { kubeconfigFile, pkiFile } from './pki.ts';

// The command line of each component. Pure: nothing here touches the machine.

const ETCD_URL = `http://127.0.0.1:${PORTS.etcd}`;
const ETCD_PEER_URL = `http://127.0.0.1:${PORTS.etcdPeer}`;

export function etcd(layout: Layout, { kube }: ClusterBinaries): Daemon {
  const flags = {
    name: 'dev',
    'data-dir': join(layout.state, 'etcd'),
    'listen-client-urls': ETCD_URL,
    'advertise-client-urls': ETCD_URL,
    'listen-peer-urls': ETCD_PEER_URL,
    'initial-advertise-peer-urls': ETCD_PEER_URL,
    'initial-cluster': `dev=${ETCD_PEER_URL}`,
  };
  // The data is thrown away with the cluster: nothing is gained by waiting for the disk.
  return { name: 'etcd', command: [join(kube, 'etcd'), ...toFlags(flags), '--unsafe-no-fsync'] };
}

export function containerd(layout: Layout, binaries: ClusterBinaries): Daemon {
  return {
    name: 'containerd',
    command: [join(binaries.containerd, 'containerd'), '-c', join(layout.state, 'containerd.toml')],
    env: { PATH: [binaries.containerd, process.env['PATH']].join(':') }, // where it finds its shim
  };
}

export function apiServer(layout: Layout, { kube }: ClusterBinaries): Daemon {
  const pki = (name: string) => pkiFile(layout, name);
  const flags = {
    'etcd-servers': ETCD_URL,
    'bind-address': '0.0.0.0',
    'secure-port': String(PORTS.api),
    'advertise-address': layout.nodeIp,
    'cert-dir': join(layout.state, 'pki'),
    'tls-cert-file': pki('apiserver.crt'),
    'tls-private-key-file': pki('apiserver.key'),
    'client-ca-file': pki('ca.crt'),
    'kubelet-client-certificate': pki('apiserver-to-kubelet.crt'),
    'kubelet-client-key': pki('apiserver-to-kubelet.key'),
    'kubelet-certificate-authority': pki('ca.crt'),
    'kubelet-preferred-address-types': 'InternalIP',
    'service-account-key-file': pki('service-accounts.pub'),
    'service-account-signing-key-file': pki('service-accounts.key'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-cluster-ip-range': layout.serviceCidr,
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'allow-privileged': 'true',
    profiling: 'false',
  };
  return { name: 'apiserver', command: [join(kube, 'kube-apiserver'), ...toFlags(flags)] };
}

export function controllerManager(layout: Layout, { kube }: ClusterBinaries): Daemon {
  const flags = {
    kubeconfig: kubeconfigFile(layout, 'controllers'),
    'leader-elect': 'false',
    'bind-address': '127.0.0.1',
    'cert-dir': join(layout.state, 'pki'),
    'service-account-private-key-file': pkiFile(layout, 'service-accounts.key'),
    'root-ca-file': pkiFile(layout, 'ca.crt'),
    'cluster-signing-cert-file': pkiFile(layout, 'ca.crt'),
    'cluster-signing-key-file': pkiFile(layout, 'ca.key'),
    'use-service-account-credentials': 'true', // RBAC denies it nearly everything else
    'allocate-node-cidrs': 'false',
    'node-monitor-period': '1s',
    'kube-api-qps': '300', // with the default it starts five seconds slower
    'kube-api-burst': '500',
    profiling: 'false',
  };
  return { name: 'controllers', command: [join(kube, 'kube-controller-manager'), ...toFlags(flags)] };
}

export function scheduler(layout: Layout, { kube }: ClusterBinaries): Daemon {
  const flags = {
    kubeconfig: kubeconfigFile(layout, 'scheduler'),
    'leader-elect': 'false',
    'bind-address': '127.0.0.1',
    'cert-dir': join(layout.state, 'pki'),
    profiling: 'false',
  };
  return { name: 'scheduler', command: [join(kube, 'kube-scheduler'), ...toFlags(flags)] };
}

export function kubelet(layout: Layout, { kube }: ClusterBinaries): Daemon {
  const flags = {
    config: join(layout.state, 'kubelet.json'),
    kubeconfig: kubeconfigFile(layout, 'kubelet'),
    'hostname-override': layout.nodeName,
    'node-ip': layout.nodeIp,
    'root-dir': join(layout.state, 'kubelet'),
    'cert-dir': join(layout.state, 'pki'),
  };
  return { name: 'kubelet', command: [...withPodUsers(layout), join(kube, 'kubelet'), ...toFlags(flags)] };
}

export function proxy(layout: Layout, { kube }: ClusterBinaries): Daemon {
  return { name: 'proxy', command: [join(kube, 'kube-proxy'), `--config=${join(layout.state, 'proxy.json')}`] };
}

/** NetworkPolicy: the bridge plugin enforces none, kube-router's firewall does. */
export function policyEnforcer(layout: Layout, { kubeRouter }: ClusterBinaries): Daemon {
  const flags = {
    kubeconfig: layout.kubeconfig,
    'hostname-override': layout.nodeName,
    'run-firewall': 'true',
    'run-router': 'false',
    'run-service-proxy': 'false',
    'service-cluster-ip-range': layout.serviceCidr,
    'health-port': '0',
  };
  const command = [join(kubeRouter, 'kube-router'), ...toFlags(flags)];
  return { name: 'policy', command, env: { NODE_NAME: layout.nodeName } };
}

function toFlags(flags: Readonly<Record<string, string>>): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
