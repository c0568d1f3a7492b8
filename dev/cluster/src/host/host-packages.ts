import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';

/** Programs that the cluster runs on the host and in its namespaces; everything else comes with the cluster. */
export const HOST_PACKAGES: readonly string[] = [
  'containernetworking-plugins',
  'iptables',
  'ipset',
  'iproute2',
  'util-linux',
  'tini',
  'openssl',
];

/** Call it before anything that runs one of these programs: a fresh machine has few of them. */
export function installHostPackages(progress: Progress): Promise<void> {
  return ensureDebianPackages(HOST_PACKAGES, progress);
}
