/** One event of a stream: its number, its kind, and its data as JSON text. */
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

/** The bytes of events, for `eventStream`. */
export function encodeEvents(events: readonly ServerSentEvent[]): Uint8Array {
  return new TextEncoder().encode(events.map(format).join(''));
}

/**
 * Answers with a stream of encoded events as they come. A chunk is read from the source only when the client has taken the
 * one before. When the client leaves, the source ends. By default the connection stays open after the last event until
 * the client leaves, because fly would take its end for the end of the build.
 */
export function eventStream(
  source: AsyncIterable<Uint8Array>,
  onClose: () => void,
  afterwards: 'stays' | 'ends' = 'stays',
): Response {
  const iterator = source[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await iterator.next();
        if (!done) controller.enqueue(value);
        else if (afterwards === 'stays')
          await new Promise(() => {}); // stays open until cancel
        else {
          onClose();
          controller.close();
        }
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
