import { expect, test } from 'vitest';
import { encodeEvents, eventStream } from './event-stream.ts';
import { firstWanted } from './last-event-id.ts';

async function readText(body: ReadableStream<Uint8Array> | null, chunks: number): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  for (let i = 0; i < chunks; i++) text += Buffer.from((await reader.read()).value ?? []).toString();
  await reader.cancel();
  return text;
}

test('[API-SSE1] events are framed as fly reads them, and the end has no data', async () => {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield encodeEvents([{ id: 7, event: 'event', data: '{"a":1}' }]);
    yield encodeEvents([{ id: 8, event: 'end' }]);
  }
  const response = eventStream(source(), () => {});
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await readText(response.body, 2)).toBe('id: 7\nevent: event\ndata: {"a":1}\n\nid: 8\nevent: end\ndata\n\n');
});

test('[API-SSE2] no event is read before the client wants it, and leaving ends the source', async () => {
  let made = 0;
  let ended = false;
  let closed = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield encodeEvents([{ id: made++, event: 'event', data: '{}' }]);
    } finally {
      ended = true;
    }
  }
  const response = eventStream(source(), () => {
    closed = true;
  });
  await readText(response.body, 3);
  expect(made).toBeLessThan(6);
  expect({ ended, closed }).toEqual({ ended: true, closed: true });
});

test('[API-SSE3] a stream starts after the last event that the client has seen', () => {
  expect(firstWanted(undefined)).toBe(0);
  expect(firstWanted('')).toBe(0);
  expect(firstWanted('7')).toBe(8);
  expect(firstWanted('seven')).toBeUndefined();
});
