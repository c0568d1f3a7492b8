import type { Queryable } from '../queryable.ts';

export interface StoredEvent {
  /** 0, 1, 2 ... within its build. */
  readonly id: number;
  readonly type: string;
  readonly version: string;
  /** JSON text, as it goes on the wire. */
  readonly data: string;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** No more events will come: the build has ended or does not exist. */
  readonly ended: boolean;
}

/** Reads a build's events from a number on, oldest first. */
export async function readEvents(db: Queryable, buildId: number, from: number, limit = 1000): Promise<EventPage> {
  const { rows } = await db.query<
    { closed: boolean; next: number } & { [K in keyof StoredEvent]: StoredEvent[K] | null }
  >({
    name: 'read-events',
    // One statement, so that `closed` is of the same moment as the events.
    text: `
        SELECT h.closed, h.next_event_id AS next, e.event_id AS id, e.type, e.version, e.data::text AS data
        FROM build_journal_head h LEFT JOIN LATERAL (
          SELECT event_id, type, version, data FROM build_event
          WHERE build_id = $1 AND event_id >= $2 ORDER BY event_id LIMIT $3
        ) e ON true
        WHERE h.build_id = $1
        ORDER BY e.event_id`,
    values: [buildId, from, limit],
  });
  const events = rows.flatMap(({ id, type, version, data }) =>
    id === null ? [] : [{ id, type, version, data } as StoredEvent],
  );
  const head = rows[0];
  return { events, ended: !head || (head.closed && (events.length < limit || events.at(-1)?.id === head.next - 1)) };
}
