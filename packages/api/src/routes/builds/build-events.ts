import { type StoredEvent, watchBuildEvents } from '@seaplane/db';
import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { buildToRead } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { eventStream, type ServerSentEvent } from '../../http/event-stream.ts';
import { firstWanted } from '../../http/last-event-id.ts';
import { BUILD } from '../../http/paths.ts';
import { badRequest } from '../../http/problem.ts';

/** What `fly watch` shows, as it happens (docs/concourse/fly-api.md, section 5). */
export function buildEventRoutes(context: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${BUILD}/events`, buildToRead(context.pool, 'BuildEvents', 'ofPublicJobs'), (c) => {
    const from = firstWanted(c.req.header('Last-Event-ID'));
    if (from === undefined) return badRequest(c, 'Last-Event-ID is not a number');
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

/** The data is JSON text and goes through as it is. */
function envelope({ id, type, version, data }: StoredEvent): string {
  return `{"data":${data},"event":"${type}","version":"${version}","event_id":"${id}"}`;
}
