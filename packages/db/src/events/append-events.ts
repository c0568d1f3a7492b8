import { type BuildEvent, EVENT_VERSIONS } from '@seaplane/engine';
import { CHANNELS } from '../notifications/channels.ts';
import type { Queryable } from '../queryable.ts';

/** The columns of events, each as one array, so that one statement inserts any number of them. */
export interface EventColumns {
  readonly types: string[];
  readonly versions: string[];
  readonly data: string[];
}

export function eventColumns(events: readonly BuildEvent[]): EventColumns {
  return {
    types: events.map(({ event }) => event),
    versions: events.map(({ event }) => EVENT_VERSIONS[event]),
    data: events.map(({ data }) => JSON.stringify(data)),
  };
}

/**
 * Appends events to a build that has not ended, and notifies its watchers. For events from outside of the build's
 * steps; the steps append through the journal.
 */
export async function appendEvents(db: Queryable, buildId: number, events: readonly BuildEvent[]): Promise<boolean> {
  const { types, versions, data } = eventColumns(events);
  const { rowCount } = await db.query({
    name: 'append-events',
    text: `
      WITH head AS (
        UPDATE build_journal_head SET next_event_id = next_event_id + cardinality($2::text[])
        WHERE build_id = $1 AND NOT closed
        RETURNING next_event_id - cardinality($2::text[]) AS first
      ), appended AS (
        INSERT INTO build_event (build_id, event_id, type, version, data)
        SELECT $1, head.first + e.n - 1, e.type, e.version, e.data::json
        FROM head, unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS e (type, version, data, n)
      )
      SELECT pg_notify('${CHANNELS.buildEvents}', $1::text) FROM head`,
    values: [buildId, types, versions, data],
  });
  return rowCount === 1;
}
