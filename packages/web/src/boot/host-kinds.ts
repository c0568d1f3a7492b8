import { kubernetesKind } from '@seaplane/kubernetes';

/** Every kind of host. A new kind is one line here. An entry of the targets file without `kind` has the first kind. */
export const HOST_KINDS = [kubernetesKind] as const;
