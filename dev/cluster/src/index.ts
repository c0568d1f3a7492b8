export { containerBinaries, kubectlBinary } from './binaries.ts';
export { down } from './down.ts';
export { whyNoCluster } from './requirements.ts';
export { targetKubeconfig } from './service-account.ts';
export { clusterIsUp } from './status.ts';
export { up } from './up.ts';
