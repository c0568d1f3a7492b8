export type { Pod } from '../api/wire.ts';
export { type ClusterForTests, clusterForTests, reflectPods } from './cluster-for-tests.ts';
