import type pg from 'pg';
import { AutoResetEvent } from '../auto-reset-event.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { readEvents, type StoredEvent } from './read-events.ts';

export interface WatchDependencies {
  readonly pool: pg.Pool;
  readonly notifications: Pick<Notifications, 'subscribe'>;
}

/** In case a notification is lost. */
const SWEEP_MS = 5_000;

/**
 * Yields a build's events from a number on, as they are committed. Returns after the last event of an ended build.
 * Rejects with the signal's reason.
 */
export async function* watchBuildEvents(
  { pool, notifications }: WatchDependencies,
  buildId: number,
  from: number,
  signal: AbortSignal,
  sweepMs: number = SWEEP_MS,
): AsyncGenerator<StoredEvent, void, undefined> {
  const changed = new AutoResetEvent();
  const own = String(buildId);
  using _subscription = notifications.subscribe('buildEvents', (payload) => {
    if (payload === undefined || payload.split(',').includes(own)) changed.set();
  });
  for (let next = from; ; ) {
    const { events, ended } = await readEvents(pool, buildId, next);
    for (const event of events) {
      yield event;
      next = event.id + 1;
    }
    if (ended) return;
    if (events.length > 0) continue;
    const sweep = setTimeout(() => changed.set(), sweepMs);
    await changed.wait(signal).finally(() => clearTimeout(sweep));
  }
}
