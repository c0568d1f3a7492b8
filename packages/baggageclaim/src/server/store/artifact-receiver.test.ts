import { expect, test } from 'vitest';
import { MemoryStore } from '../../testing/memory-store.ts';
import { streamOf, tarOf } from '../../testing/tars.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import type { Pull } from '../trees/pull.ts';
import { ArtifactReceiver } from './artifact-receiver.ts';

const FROM = ['https://first/', 'https://second/'].map((url) => ({ url, token: 'x' }));

function receiverOf(serve: (host: string) => Buffer<ArrayBuffer>) {
  const pulled: string[] = [];
  const pull: Pull = async ({ url }) => {
    const { host } = new URL(url);
    pulled.push(host);
    return streamOf(serve(host));
  };
  const store = new MemoryStore(createNodeRuntime());
  return { store, pulled, receiver: new ArtifactReceiver(store, pull) };
}

test('[BC17] asked for twice at once, an artifact is pulled once; later it is not pulled at all', async () => {
  const { store, pulled, receiver } = receiverOf(() => tarOf({ file: '' }));
  await Promise.all([receiver.pull('a', FROM), receiver.pull('a', FROM)]);
  await receiver.pull('a', FROM);
  await receiver.receive('a', streamOf(Buffer.from('not read')));
  expect(pulled).toEqual(['first']);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] the first source that gives a whole archive is taken', async () => {
  const whole = tarOf({ file: 'x'.repeat(50_000) });
  const { store, pulled, receiver } = receiverOf((host) => (host === 'first' ? whole.subarray(0, 20_000) : whole));
  await receiver.pull('a', FROM);
  expect(pulled).toEqual(['first', 'first', 'second']);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] a failed arrival is reported with the words of each source, and can be tried again', async () => {
  let isBroken = true;
  const { store, receiver } = receiverOf((host) => (isBroken ? Buffer.from(`${host} is broken`) : tarOf({ file: '' })));
  const failed = {
    code: 'unavailable',
    message: expect.stringMatching(/^the artifact a could not be pulled: first: .*second: /s),
  };
  await expect(receiver.pull('a', FROM)).rejects.toMatchObject(failed);
  await expect(receiver.pull('a', [])).rejects.toThrow('it has no sources');
  await expect(receiver.receive('a', streamOf(Buffer.from('no')))).rejects.toMatchObject({ code: 'bad-request' });
  expect(await store.list()).toEqual([]);
  isBroken = false;
  await receiver.pull('a', FROM);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] an id that is not one is refused before anything is pulled', async () => {
  const { pulled, receiver } = receiverOf(() => tarOf({ file: '' }));
  await expect(receiver.pull('../a', FROM)).rejects.toMatchObject({ code: 'bad-request' });
  expect(pulled).toEqual([]);
});
