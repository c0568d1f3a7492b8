export { down } from './down.ts';
export { whyNoCluster } from './host/requirements.ts';
export { containerBinaries, kubectlBinary } from './kubernetes/binaries.ts';
export { targetKubeconfig } from './kubernetes/service-account.ts';
export { clusterIsUp } from './status.ts';
export { up } from './up.ts';
