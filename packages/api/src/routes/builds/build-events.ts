import { type StoredEvent, watchBuildEvents } from '@seaplane/db';
import { ApiError } from '../../api-error.ts';
import { buildToRead } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { eventStream, type ServerSentEvent } from '../../http/event-stream.ts';
import { firstWanted } from '../../http/last-event-id.ts';
import { BUILD } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';

/** The events of a build as they happen, which `fly watch` shows (docs/concourse/fly-api.md, section 5). */
export function buildEventRoutes(context: ApiContext): Router {
  const app = createRouter();

  app.get(`${BUILD}/events`, buildToRead(context.pool, 'BuildEvents', 'ofPublicJobs'), (c) => {
    const from = firstWanted(c.req.header('Last-Event-ID'));
    if (from === undefined) throw new ApiError('bad-request', 'Last-Event-ID is not a number');
    const left = new AbortController();
    const events = watchBuildEvents(context, c.var.build.id, from, left.signal);
    return eventStream(envelopes(events, from), () => left.abort());
  });
  return app;
}

async function* envelopes(
  events: AsyncIterable<StoredEvent>,
  from: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let next = from;
  for await (const event of events) {
    yield { id: event.id, event: 'event', data: envelope(event) };
    next = event.id + 1;
  }
  yield { id: next, event: 'end' };
}

/** A `BuildEventAnswer`, as text: its data is stored as JSON text and goes through unchanged. */
function envelope({ id, type, version, data }: StoredEvent): string {
  return `{"data":${data},"event":"${type}","version":"${version}","event_id":"${id}"}`;
}
