import type { LiveAnswer } from '../../answers/live.ts';
import { open } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { eventStream } from '../../http/event-stream.ts';
import { OpenStreams } from '../../http/open-streams.ts';
import { API } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { streamClient } from '../../http/stream-client.ts';
import { LiveChanges } from '../../live/live-changes.ts';

/** A browser has one stream for each page that somebody looks at. */
const DEFAULT_LIMITS = { perClient: 200, inAll: 5_000 };
/** How soon a page connects again. */
const RETRY_MS = 1_000;

/** Tells open pages what to read again. */
export function liveRoutes(context: ApiContext): Router {
  const app = createRouter();
  const changes = new LiveChanges(context);
  const streams = new OpenStreams(context.streamLimits ?? DEFAULT_LIMITS);

  app.get(`${API}/seaplane/live`, open(), (c) => {
    const close = c.req.method === 'HEAD' ? () => {} : streams.open(streamClient(c, c.var.requester)); // nobody reads the body of HEAD
    const left = new AbortController();
    const chunks = encode(changes.watch(c.var.requester, left.signal));
    return eventStream(
      chunks,
      () => {
        left.abort();
        close();
      },
      'ends',
    );
  });
  return app;
}

async function* encode(changes: AsyncIterable<LiveAnswer | undefined>): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode(`retry: ${RETRY_MS}\n\n`);
  for await (const change of changes) {
    yield encoder.encode(change ? `event: changed\ndata: ${JSON.stringify(change)}\n\n` : ': alive\n\n');
  }
}
