export type { Pod } from '../api/wire.ts';
export type { KubernetesHost } from '../kubernetes-host.ts';
export type { Target } from '../target.ts';
export { type ClusterForTests, clusterForTests, reflectPods } from './cluster-for-tests.ts';
export { parseTarget } from './parse-target.ts';
export { openTestHost } from './test-host.ts';
export { openTestTarget, type TestTarget } from './test-target.ts';
