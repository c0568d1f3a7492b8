import { join } from 'node:path';
import { type Layout, PORTS, registriesDirectory } from '../layout.ts';
import type { ClusterBinaries } from './binaries.ts';
import { kubeconfigFile, pkiFile } from './pki.ts';

// The configuration file of each component that has one. Pure, like components.ts.

/** File name below the state directory -> content. */
export function configFiles(layout: Layout, binaries: ClusterBinaries, pauseImage: string): Record<string, string> {
  return {
    'cni/10-bridge.conflist': json(podNetwork(layout)),
    'containerd.toml': containerdConfig(layout, binaries, pauseImage),
    'kubelet.json': json(kubeletConfig(layout)),
    'proxy.json': json(proxyConfig(layout)),
  };
}

/**
 * One plugin, which runs no iptables: one rule masquerades all pods (host/link.ts), and nothing here uses host ports. Rules of
 * each pod's own take 6% of the processor time of a run of the acceptance suite.
 */
function podNetwork(layout: Layout) {
  const addresses = {
    type: 'host-local',
    dataDir: join(layout.state, 'ipam'),
    ranges: [[{ subnet: layout.podCidr }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const bridge = {
    type: 'bridge',
    bridge: 'cni0',
    isGateway: true,
    hairpinMode: true,
    mtu: 1400,
    ipam: addresses,
  };
  return { cniVersion: '0.4.0', name: `seaplane-dev-${layout.index}`, plugins: [bridge] };
}

function containerdConfig(layout: Layout, binaries: ClusterBinaries, pauseImage: string): string {
  const path = (name: string) => JSON.stringify(join(layout.state, name));
  // restrict_oom_score_adj: where root lacks CAP_SYS_RESOURCE no pod starts without it; elsewhere it changes nothing.
  return `version = 3
root = ${path('containerd')}
state = ${path('containerd-run')}
[grpc]
  address = ${JSON.stringify(layout.criSocket)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${path('containerd-opt')}
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = ${JSON.stringify(pauseImage)}
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = ${JSON.stringify(registriesDirectory(layout))}
[plugins."io.containerd.cri.v1.runtime"]
  disable_apparmor = true
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  tolerate_missing_hugetlb_controller = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = ${path('cni')}
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      SystemdCgroup = false
      BinaryName = ${JSON.stringify(binaries.runtime)}
      Root = ${path('containers')}
`;
}

function kubeletConfig(layout: Layout) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: '0.0.0.0',
    port: PORTS.kubelet,
    readOnlyPort: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: pkiFile(layout, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: pkiFile(layout, 'kubelet-server.crt'),
    tlsPrivateKeyFile: pkiFile(layout, 'kubelet-server.key'),
    containerRuntimeEndpoint: `unix://${layout.criSocket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${layout.cgroup}`,
    failCgroupV1: false, // the default is true since 1.35
    failSwapOn: false,
    enforceNodeAllocatable: ['pods'],
    resolvConf: '/etc/resolv.conf', // there is no cluster DNS
    podLogsDir: join(layout.state, 'pod-logs'),
    volumePluginDir: join(layout.state, 'volume-plugins'),
    serializeImagePulls: false,
    registryPullQPS: 0,
    // Images that were loaded by hand must stay usable after the same content was pulled under another name.
    imagePullCredentialsVerificationPolicy: 'NeverVerify',
    maxPods: 200,
    // A developer's disk may be nearly full: loaded images are never collected and pods never evicted for it.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
      'imagefs.inodesFree': '0%',
    },
  };
}

function proxyConfig(layout: Layout) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    bindAddress: '0.0.0.0',
    clientConnection: { kubeconfig: kubeconfigFile(layout, 'proxy') },
    hostnameOverride: layout.nodeName,
    clusterCIDR: layout.podCidr,
    mode: 'iptables', // the one in which a kubelet reaches a NodePort at 127.0.0.1
    // Zero leaves the machine's connection tracking settings alone.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
