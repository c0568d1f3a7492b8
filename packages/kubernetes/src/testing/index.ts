export type { Pod } from '../wire.ts';
export { type ClusterForTests, clusterForTests, reflectPods } from './cluster-for-tests.ts';
