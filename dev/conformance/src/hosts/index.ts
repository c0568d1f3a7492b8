import { concourseHost } from './concourse.ts';
import type { Host } from './host.ts';
import { kubernetesHost } from './kubernetes.ts';
import { localHost, localOneIdHost, localUserHost } from './local.ts';

/** Every host, in the order of the columns of docs/conformance.md. */
export const HOSTS: readonly Host[] = [kubernetesHost, localHost, localUserHost, localOneIdHost, concourseHost];
