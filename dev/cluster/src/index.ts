export { type FragileComponent, killComponent, requireInit, reviveComponents, startComponent } from './crash.ts';
export { down } from './down.ts';
export { runInside } from './host/namespaces.ts';
export { whyNoCluster } from './host/requirements.ts';
export { type ClusterBinaries, clusterBinaries, containerBinaries, kubectlBinary } from './kubernetes/binaries.ts';
export { targetKubeconfig } from './kubernetes/service-account.ts';
export { layoutOf } from './layout.ts';
export { clusterIsUp } from './status.ts';
export { up } from './up.ts';
