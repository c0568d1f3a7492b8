import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { whyNoBinaries } from '../kubernetes/binaries.ts';
import { whyNoCgroups } from './cgroups.ts';
import { HOST_PACKAGES } from './host-packages.ts';

const INSTEAD = 'Set KUBECONFIG to use a cluster of your own (kind, k3d, minikube, a real one).';

/** Why no cluster can be started on this machine, in words for a person; undefined when one can. */
export function whyNoCluster(): string | undefined {
  return whyNoHost() ?? instead(whyNoPackages(HOST_PACKAGES) ?? whyNoBinaries());
}

/** Why no cluster can ever have run here. Less is needed to end a cluster than to start one. */
function whyNoHost(): string | undefined {
  if (process.platform !== 'linux') return instead(`the development cluster needs Linux, this is ${process.platform}.`);
  if (process.getuid?.() !== 0) {
    return instead('the development cluster needs root: it makes namespaces, cgroups and mounts.');
  }
  return instead(whyNoCgroups());
}

function instead(why: string | undefined): string | undefined {
  return why && `${why.replace(/\.?$/, '.')} ${INSTEAD}`;
}

export function requireHost(): void {
  const why = whyNoHost();
  if (why) throw new Error(why);
}

export function requireCluster(): void {
  const why = whyNoCluster();
  if (why) throw new Error(why);
}
