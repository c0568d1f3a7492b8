import { setTimeout as sleep } from 'node:timers/promises';
import { kubectl, listPods } from '../place/pods.ts';
import type { Fault } from './fault.ts';

/** The disk of the store is full for a while. A build that needs room there may say so. */
export const diskFull: Fault = {
  kind: 'disk-full',
  causes: [/no space|ENOSPC|is full/i],
  async inject({ disk }, { lengthMs }) {
    await disk.fill();
    return { what: `of the store, for ${lengthMs} ms`, builds: 'all', healed: sleep(lengthMs).then(() => disk.free()) };
  },
};

/** The store's pod is deleted. Web makes it again, and its volume stays. */
export const storeDeleted: Fault = {
  kind: 'store-deleted',
  causes: [],
  async inject(place) {
    const pods = await listPods(place).catch(() => []);
    const store = pods.find(({ component, phase, goes }) => component === 'store' && phase === 'Running' && !goes);
    if (!store) return undefined;
    await kubectl(place, ['delete', 'pod', store.name, '--wait=false', '--grace-period=0', '--force']);
    return { what: store.name, builds: 'all', healed: Promise.resolve() };
  },
};
