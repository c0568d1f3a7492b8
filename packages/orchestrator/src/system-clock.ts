import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@seaplane/engine';

export type { Clock } from '@seaplane/engine';

/** The clock of the machine. Tests have their own. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  },
};
