import type { Host } from './host.ts';
import { startOwnWeb } from './web.ts';

/** Our own web with its embedded default: steps run on this machine, without Kubernetes. */
export const localHost: Host = {
  name: 'local',
  start: (progress) => startOwnWeb('local', {}, progress),
};
