export { kubernetesKind } from './kubernetes-kind.ts';
