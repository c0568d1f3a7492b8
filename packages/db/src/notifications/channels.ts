import type { Queryable } from '../queryable.ts';

/**
 * The channels by which one web notifies the others. A notification is sent in the transaction that causes it, so it
 * arrives when that transaction is committed, or never. Events of steps are announced afterwards (`event-announcer.ts`).
 * A payload is an id: it names the place to look at, never what is there.
 */
export const CHANNELS = {
  /** A job has a reason to be looked at by the scheduler. Payload: its id. */
  job: 'seaplane_job',
  /** A build has been started and wants to be run. Payload: its id. */
  buildStarted: 'seaplane_build_started',
  buildAborted: 'seaplane_build_aborted',
  /** Builds have new events, or have ended. Payload: their ids, with commas. */
  buildEvents: 'seaplane_build_events',
  /** A pipeline's resources may want a check sooner than they did. Payload: the pipeline's id. */
  checks: 'seaplane_checks',
  /** A worker may have sandboxes or artifacts that nobody wants any more. Payload: its name, or empty for all. */
  garbage: 'seaplane_garbage',
  /** A worker was registered, has changed its state or is gone. Payload: its name. */
  workers: 'seaplane_workers',
  /** A component was paused or resumed. Payload: its name, or empty for all. */
  components: 'seaplane_components',
  /** Something that pages show has changed. Payload: a `Change`, as text (`changes.ts`). */
  changes: 'seaplane_changes',
} as const;

export type Channel = keyof typeof CHANNELS;

export async function notify(db: Queryable, channel: Channel, payload: number | string): Promise<void> {
  await db.query('SELECT pg_notify($1, $2)', [CHANNELS[channel], String(payload)]);
}
