import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionContext } from '../request.ts';

/** Waiting in a step is real. */
export function clockOf({ now }: ActionContext) {
  return { now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) };
}
