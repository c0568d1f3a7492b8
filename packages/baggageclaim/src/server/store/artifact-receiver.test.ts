import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoreLimits } from '../../protocol/messages.ts';
import { MemoryStore } from '../../testing/memory-store.ts';
import { streamOf, tarOf } from '../../testing/tars.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import type { Pull } from '../trees/pull.ts';
import { Accounts } from './accounts.ts';
import { ArtifactReceiver } from './artifact-receiver.ts';

const FROM = ['https://first/', 'https://second/'].map((url) => ({
  url,
  token: 'x',
  server: { name: 'x', authority: '' },
}));

const MIB = 2 ** 20;

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'receiver-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function receiverOf(
  serve: (host: string, signal: AbortSignal) => Buffer<ArrayBuffer> | ReadableStream<Uint8Array>,
) {
  const pulled: string[] = [];
  const pull: Pull = async ({ url }, signal) => {
    const { host } = new URL(url);
    pulled.push(host);
    const served = serve(host, signal);
    return served instanceof ReadableStream ? served : streamOf(served);
  };
  const store = new MemoryStore(createNodeRuntime());
  const accounts = await Accounts.open(dir, Number.MAX_SAFE_INTEGER, [], async () => 0);
  return { store, pulled, receiver: new ArtifactReceiver({ store, accounts, pull }) };
}

function arrival(id: string, limits: Partial<StoreLimits> = {}, { signal } = new AbortController()) {
  return { id, signal, limits: { team: 'a', artifactBytes: 100 * MIB, teamBytes: 200 * MIB, ...limits } };
}

test('[BC17] asked for twice at once, an artifact is pulled once; later it is not pulled at all', async () => {
  const { store, pulled, receiver } = await receiverOf(() => tarOf({ file: '' }));
  await Promise.all([receiver.pull(arrival('a'), FROM), receiver.pull(arrival('a'), FROM)]);
  await receiver.pull(arrival('a'), FROM);
  await receiver.receive(arrival('a'), streamOf(Buffer.from('not read')));
  expect(pulled).toEqual(['first']);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] the first source that gives a whole archive is taken', async () => {
  const whole = tarOf({ file: 'x'.repeat(50_000) });
  const { store, pulled, receiver } = await receiverOf((host) =>
    host === 'first' ? whole.subarray(0, 20_000) : whole,
  );
  await receiver.pull(arrival('a'), FROM);
  expect(pulled).toEqual(['first', 'first', 'second']);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] a failed arrival is reported with the words of each source, and can be tried again', async () => {
  let isBroken = true;
  const { store, receiver } = await receiverOf((host) =>
    isBroken ? Buffer.from(`${host} is broken`) : tarOf({ file: '' }),
  );
  const failed = {
    code: 'unavailable',
    message: expect.stringMatching(/^the artifact a could not be pulled: first: .*second: /s),
  };
  await expect(receiver.pull(arrival('a'), FROM)).rejects.toMatchObject(failed);
  await expect(receiver.pull(arrival('a'), [])).rejects.toThrow('it has no sources');
  await expect(receiver.receive(arrival('a'), streamOf(Buffer.from('no')))).rejects.toMatchObject({
    code: 'bad-request',
  });
  expect(await store.list()).toEqual([]);
  isBroken = false;
  await receiver.pull(arrival('a'), FROM);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] an id that is not one is refused before anything is pulled', async () => {
  const { pulled, receiver } = await receiverOf(() => tarOf({ file: '' }));
  await expect(receiver.pull(arrival('../a'), FROM)).rejects.toMatchObject({ code: 'bad-request' });
  expect(pulled).toEqual([]);
});

test('[BC31] an archive that is larger than the limit is not read to its end, and no other source is asked', async () => {
  const sent = { bytes: 0, cancelled: false };
  const endless = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(tarOf({ file: 'x'.repeat(100_000) }).subarray(0, 50_000)),
      pull(controller) {
        sent.bytes += MIB;
        controller.enqueue(new Uint8Array(MIB));
      },
      cancel() {
        sent.cancelled = true;
      },
    });
  const { store, pulled, receiver } = await receiverOf(endless);
  const small = { artifactBytes: 4 * MIB };
  const refused = { code: 'too-large', message: expect.stringContaining('a is larger than 4.0 MiB') };
  await expect(receiver.pull(arrival('a', small), FROM)).rejects.toMatchObject(refused);
  await expect(receiver.receive(arrival('a', small), endless())).rejects.toMatchObject(refused);
  expect(pulled).toEqual(['first']);
  expect(sent).toEqual({ bytes: expect.any(Number), cancelled: true });
  expect(sent.bytes).toBeLessThan(20 * MIB);
  expect(await store.list()).toEqual([]);
  await receiver.receive(arrival('a'), streamOf(tarOf({ file: 'x' }))); // nothing of it counts any more
});

test('[BC31] many small files count as what they have on the disk; holes count only when there are too many', async () => {
  const { store, receiver } = await receiverOf(() => Buffer.alloc(0));
  const files = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`file-${i}`, 'x']));
  const many = receiver.receive(arrival('a', { artifactBytes: MIB }), streamOf(tarOf(files)));
  await expect(many).rejects.toMatchObject({
    code: 'too-large',
    message: expect.stringContaining('larger than 1.0 MiB'),
  });
  const put = (id: string, holes: number) =>
    receiver.receive(arrival(id, { artifactBytes: MIB }), streamOf(tarOf({ sparse: { holes } })));
  await put('b', 9 * MIB);
  await expect(put('c', 11 * MIB)).rejects.toMatchObject({
    code: 'too-large',
    message: expect.stringContaining('most of them holes'),
  });
  expect(await store.list()).toEqual(['b']);
});

test('[BC32] a pull ends when the last client that waits for it has left, and can be asked for again', async () => {
  const signals: AbortSignal[] = [];
  const asked = Promise.withResolvers<void>();
  let isSlow = true;
  const { store, receiver } = await receiverOf((_, signal) => {
    if (!isSlow) return tarOf({ file: '' });
    signals.push(signal);
    asked.resolve();
    return new ReadableStream<Uint8Array>({
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
    });
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const outcomes = Promise.allSettled([first, second].map((client) => receiver.pull(arrival('a', {}, client), FROM)));
  await asked.promise;
  first.abort(new Error('left first'));
  expect(signals[0]?.aborted).toBe(false);
  second.abort(new Error('left second'));
  expect(await outcomes).toMatchObject([{ reason: { message: 'left first' } }, { reason: { message: 'left second' } }]);
  expect(signals[0]?.aborted).toBe(true);
  isSlow = false;
  await receiver.pull(arrival('a'), FROM);
  expect(signals).toHaveLength(1);
  expect(await store.list()).toEqual(['a']);
});
