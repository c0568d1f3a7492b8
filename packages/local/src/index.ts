export { localKind } from './local-kind.ts';
export { remoteKind } from './remote/remote-kind.ts';
export { runRemoteWorker } from './remote/remote-worker.ts';
export { resetLocal } from './reset-local.ts';
