import { kubernetesKind } from '@seaplane/kubernetes';

/** Every kind of host that workers can have. A new kind is one line here. The first is that of an entry without `kind`. */
export const HOST_KINDS = [kubernetesKind] as const;
