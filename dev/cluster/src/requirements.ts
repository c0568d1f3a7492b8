import { usesCgroupV1 } from './kernel.ts';

const INSTEAD = 'Set KUBECONFIG to use a cluster of your own (kind, k3d, minikube, a real one).';

/** Why no cluster can be run on this machine, in words for a person; undefined when one can. */
export function whyNoCluster(): string | undefined {
  if (process.platform !== 'linux')
    return `the development cluster needs Linux, this is ${process.platform}. ${INSTEAD}`;
  if (process.getuid?.() !== 0)
    return `the development cluster needs root: it makes namespaces, cgroups and mounts. ${INSTEAD}`;
  if (!usesCgroupV1())
    return `the development cluster is set up for cgroup v1, which this machine does not have. ${INSTEAD}`;
  return undefined;
}

export function requireHost(): void {
  const why = whyNoCluster();
  if (why) throw new Error(why);
}
