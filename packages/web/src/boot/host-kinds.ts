import { kubernetesKind } from '@seaplane/kubernetes';
import { localKind, remoteKind } from '@seaplane/local';

/** Every kind of host. A new kind is one line here. An entry of the targets file without `kind` has the first kind. */
export const HOST_KINDS = [kubernetesKind, localKind, remoteKind] as const;

/** Variables that are secrets of a cluster. */
export { openClusterSecrets } from '@seaplane/kubernetes';
/** Ends and deletes everything of the worker that is this machine. */
export { resetLocal } from '@seaplane/local';
