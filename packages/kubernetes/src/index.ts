export { openClusterSecrets } from './cluster-secrets.ts';
export { kubernetesKind } from './kubernetes-kind.ts';
