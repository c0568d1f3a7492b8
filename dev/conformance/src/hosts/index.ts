import { concourseHost } from './concourse.ts';
import type { Host } from './host.ts';
import { kubernetesHost, kubernetesOutsideHost } from './kubernetes.ts';
import { localHost, localOneIdHost, localUserHost } from './local.ts';

/** Every host, in the order of the columns of docs/conformance.md. */
export const HOSTS: readonly Host[] = [
  kubernetesHost,
  kubernetesOutsideHost,
  localHost,
  localUserHost,
  localOneIdHost,
  concourseHost,
];
