import { EventFeeds, readEvents, type StoredEvent } from '@seaplane/db';
import type { FirstEventsAnswer } from '../../answers/build-event.ts';
import { ApiError } from '../../api-error.ts';
import { buildToRead } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { encodeEvents, eventStream } from '../../http/event-stream.ts';
import { JsonText } from '../../http/json-text.ts';
import { firstWanted } from '../../http/last-event-id.ts';
import { OpenStreams } from '../../http/open-streams.ts';
import { API, BUILD } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { streamClient } from '../../http/stream-client.ts';

/** The first events of a build fill a window or two, and are read and sent in a few milliseconds. */
const FIRST_BYTES = 32 * 1024;

/** The events of a build as they happen, which `fly watch` shows (docs/concourse/fly-api.md, section 5). */
export function buildEventRoutes(context: ApiContext): Router {
  const app = createRouter();
  const feeds = new EventFeeds(context);
  const streams = new OpenStreams(context.streamLimits ?? DEFAULT_LIMITS);
  /** Watchers of one build share their pages, so each page is encoded once. */
  const encoded = new WeakMap<readonly StoredEvent[], Uint8Array>();
  const encode = (events: readonly StoredEvent[]) => {
    const known = encoded.get(events) ?? encodeEvents(events.map(envelope));
    encoded.set(events, known);
    return known;
  };

  app.get(`${BUILD}/events`, buildToRead(context.pool, 'BuildEvents', 'ofPublicJobs'), (c) => {
    // A page that opens a stream cannot set a header. The header of one that connects again is newer.
    const from = firstWanted(c.req.header('Last-Event-ID') || c.req.query('after'));
    if (from === undefined) throw new ApiError('bad-request', 'Last-Event-ID is not a number');
    const close = c.req.method === 'HEAD' ? () => {} : streams.open(streamClient(c, c.var.requester)); // nobody reads the body of HEAD
    const left = new AbortController();
    const pages = feeds.watch(c.var.build.id, from, left.signal);
    return eventStream(chunks(pages, from, encode), () => {
      left.abort();
      close();
    });
  });

  app.get(
    `${API}/seaplane/builds/:build/first-events`,
    buildToRead(context.pool, 'BuildEvents', 'ofPublicJobs'),
    async (c) => {
      const { events, ended } = await readEvents(context.pool, c.var.build.id, 0, { bytes: FIRST_BYTES });
      const texts = events.map((event) => envelope(event).data);
      return new JsonText<FirstEventsAnswer>(`{"events":[${texts.join(',')}],"ended":${ended}}`);
    },
  );
  return app;
}

const DEFAULT_LIMITS = { perClient: 1_000, inAll: 5_000 };

async function* chunks(
  pages: AsyncIterable<readonly StoredEvent[]>,
  from: number,
  encode: (events: readonly StoredEvent[]) => Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  let next = from;
  for await (const events of pages) {
    yield encode(events);
    next = (events.at(-1)?.id ?? next) + 1;
  }
  yield encodeEvents([{ id: next, event: 'end' }]);
}

/** The data is a `BuildEventAnswer`, as text: what an event has is stored as JSON text and goes through unchanged. */
function envelope({ id, type, version, data }: StoredEvent) {
  const text = `{"data":${data},"event":"${type}","version":"${version}","event_id":"${id}"}`;
  return { id, event: 'event', data: text };
}
