import { expect, test } from 'vitest';
import { readEvents } from './event-frames.ts';

async function eventsOf(...chunks: string[]): Promise<unknown[]> {
  const body = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  return Array.fromAsync(readEvents(new Response(body as ReadableStream<Uint8Array>)));
}

test('[WELCOME1] the events of a build are read as they are, wherever the answer is cut, until its end', async () => {
  const whole = 'id: 0\nevent: event\ndata: {"a":"event: end"}\n\nid: 1\nevent: event\ndata: {"b":"é"}\n\n';
  expect(await eventsOf(`${whole}id: 2\nevent: end\ndata\n\n`, 'event: event\ndata: {"late":1}\n\n')).toEqual([
    { a: 'event: end' },
    { b: 'é' },
  ]);
  expect(await eventsOf(...whole)).toHaveLength(2);
});
