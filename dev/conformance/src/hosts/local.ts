import type { Host } from './host.ts';
import { startOwnWeb } from './web.ts';

/** Our own web with its embedded default: steps run on this machine, without Kubernetes. It cannot do that yet. */
export const localHost: Host = {
  name: 'local',
  start: async (progress, version) => ({
    ...(await startOwnWeb('local', version ? { SEAPLANE_CONCOURSE_VERSION: version } : {}, progress)),
    cannotRun: 'web cannot run steps on its own machine yet, only on a cluster',
  }),
};
