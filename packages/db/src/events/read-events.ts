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
  /** The page reaches to the last event there is now. */
  readonly complete: boolean;
}

/** A reader holds one page at a time, so this is what a watcher costs, however slowly it reads. */
const PAGE_BYTES = 128 * 1024;
const PAGE_EVENTS = 1000;

export interface PageLimits {
  readonly events?: number;
  /** Of all data together. A page has at least one event, even if that one is larger. */
  readonly bytes?: number;
}

/** Reads a build's events from a number on, oldest first: as many as fit on a page. */
export async function readEvents(
  db: Queryable,
  buildId: number,
  from: number,
  { events: maxEvents = PAGE_EVENTS, bytes: maxBytes = PAGE_BYTES }: PageLimits = {},
): Promise<EventPage> {
  const { rows } = await db.query<
    { closed: boolean; next: number } & { [K in keyof StoredEvent]: StoredEvent[K] | null }
  >({
    name: 'read-events',
    // One statement, so that `closed` is of the same moment as the events. Events are numbered without a gap, so the recursion
    // goes from one to the next, and the server reads no event beyond the first that does not fit.
    text: `
        WITH RECURSIVE page AS (
          (SELECT event_id, type, version, data::text AS data, octet_length(data::text) AS bytes, 1 AS events
           FROM build_event WHERE build_id = $1 AND event_id >= $2 ORDER BY event_id LIMIT 1)
          UNION ALL
          SELECT e.event_id, e.type, e.version, e.data::text, p.bytes + octet_length(e.data::text), p.events + 1
          FROM page p JOIN build_event e ON e.build_id = $1 AND e.event_id = p.event_id + 1
          WHERE p.events < $3 AND p.bytes + octet_length(e.data::text) <= $4
        )
        SELECT h.closed, h.next_event_id AS next, p.event_id AS id, p.type, p.version, p.data
        FROM build_journal_head h LEFT JOIN page p ON true
        WHERE h.build_id = $1
        ORDER BY p.event_id`,
    values: [buildId, from, maxEvents, maxBytes],
  });
  const events = rows.flatMap(({ id, type, version, data }) =>
    id === null ? [] : [{ id, type, version, data } as StoredEvent],
  );
  const head = rows[0];
  const last = events.at(-1);
  const complete = !head || !last || last.id === head.next - 1;
  return { events, ended: complete && (!head || head.closed), complete };
}
