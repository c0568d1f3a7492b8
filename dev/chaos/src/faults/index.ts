import { apiServerKilled, kubeletKilled } from './components.ts';
import type { Fault } from './fault.ts';
import { podCut } from './network.ts';
import { podDeleted, podEvicted } from './pods.ts';
import { postgresKilled } from './postgres.ts';
import { shimKilled, sidecarKilled, supervisorKilled } from './processes.ts';
import { diskFull, storeDeleted } from './store.ts';
import { clockMoved, webKilled, webStopped, websKilled } from './webs.ts';

/** Every kind of fault. A new kind goes to the end: seeds then keep their meaning for `--only`. */
export const FAULTS: readonly Fault[] = [
  webKilled,
  websKilled,
  webStopped,
  postgresKilled,
  apiServerKilled,
  kubeletKilled,
  podDeleted,
  podEvicted,
  sidecarKilled,
  supervisorKilled,
  shimKilled,
  podCut,
  clockMoved,
  diskFull,
  storeDeleted,
];
