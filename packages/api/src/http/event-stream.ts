/** One event of a stream: its number, its kind, and its JSON text if it has any. */
export interface ServerSentEvent {
  readonly id: number;
  readonly event: string;
  readonly data?: string;
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store, must-revalidate',
  'X-Accel-Buffering': 'no',
  'X-ATC-Stream-Version': '2.0',
};

/**
 * Answers with a stream of events as they come. Pull-based: nothing is read before the client has taken what came
 * before. When the client leaves, the source is ended. The connection stays open after the last event until the client
 * leaves, because fly takes an end for the build's.
 */
export function eventStream(source: AsyncIterable<ServerSentEvent>, onClose: () => void): Response {
  const iterator = source[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await iterator.next();
        if (!done) controller.enqueue(encoder.encode(format(value)));
        else await new Promise(() => {}); // held open; cancel ends it
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      onClose();
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: HEADERS });
}

function format({ id, event, data }: ServerSentEvent): string {
  return `id: ${id}\nevent: ${event}\n${data === undefined ? 'data' : `data: ${data}`}\n\n`;
}
