export type { Endpoint } from './dial.ts';
export { KubernetesError, type KubernetesErrorCode } from './kubernetes-error.ts';
export {
  createKubernetesHost,
  type KubernetesHost,
  type KubernetesHostOptions,
} from './kubernetes-host.ts';
export { parseTarget, type Target } from './target.ts';
