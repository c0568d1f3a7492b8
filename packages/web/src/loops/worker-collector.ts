import { finishLeaving, stallSilentWorkers } from '@seaplane/db';
import type pg from 'pg';
import type { Component } from './component.ts';

const INTERVAL_MS = 30_000;
/** Builds that end in close succession are followed by one look. */
const REST_MS = 1_000;

export interface WorkerCollectorContext {
  readonly pool: pg.Pool;
  readonly onLeft: (worker: string, how: 'landed' | 'retired') => void;
  readonly intervalMs?: number;
}

/**
 * Marks workers as stalled that no web reports any more, and ends the landing and retiring of workers on which no build
 * runs that may not be interrupted. The end of a build (`garbage`) and a change of a worker's state wake the loop.
 */
export function workerCollector({ pool, onLeft, intervalMs = INTERVAL_MS }: WorkerCollectorContext): Component {
  return {
    name: 'collector_workers',
    channels: ['workers', 'garbage'],
    lock: 'component',
    intervalMs,
    restMs: REST_MS,
    async look() {
      await stallSilentWorkers(pool);
      for (const { name, retired } of await finishLeaving(pool)) onLeft(name, retired ? 'retired' : 'landed');
      return undefined;
    },
  };
}
