import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegistryDouble, testImage, testLayer } from '@seaplane/oci/testing';
import { expect, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { createSigner, generateKeys } from '../../client/signer.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { messagesOf } from './registry-image-messages.ts';
import { describedImages } from './registry-images.ts';
import { serveStore } from './serve-store.ts';

const soon = () => AbortSignal.timeout(30_000);

async function startStore() {
  const signer = createSigner(generateKeys().privateKey);
  const authority = await signer.authorityOf('test');
  const dir = mkdtempSync(join(tmpdir(), 'registry-images-'));
  const keys = { publicKeys: [signer.publicKey], authorityKey: authority.key };
  const at = { at: '127.0.0.1:0', imagesAt: '127.0.0.1:0', relayAt: '127.0.0.1:0' };
  const serving = await serveStore(
    { runtime: createNodeRuntime(), handle: 'store', ...keys, version: '1', ...at },
    dir,
  );
  const url = `https://${serving.address}`;
  return {
    client: createClient({ handle: 'store', url, sign: signer.sign, authority: authority.certificate }),
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true });
    },
  };
}

test("[BC54] a store reads the configuration of a registry's image once, and no layer", async () => {
  await using registry = await RegistryDouble.start();
  await using store = await startStore();
  const config = { Env: ['A=b'], User: 'app', Entrypoint: ['/bin/app'], Cmd: ['--serve'] };
  const image = testImage([await testLayer({ x: 'x' }, 'gzip')], config);
  registry.add('a/b', '1', image);
  const request = { repository: `${registry.host}/a/b`, digest: image.digest };
  const answer = await store.client.provideRegistryImage(request, () => {}, soon());
  expect(answer).toEqual({
    reference: `${registry.host}/a/b@${image.digest}`,
    env: ['A=b'],
    user: 'app',
    command: ['/bin/app', '--serve'],
  });
  expect(registry.requests.filter((line) => line.includes(image.layers[0]?.descriptor.digest ?? ''))).toEqual([]);
  registry.requests.length = 0;
  expect(await store.client.provideRegistryImage(request, () => {}, soon())).toEqual({ ...answer, cached: true });
  expect(registry.requests).toEqual([]);
});

test.each([
  ['a/none', `sha256:${'0'.repeat(64)}`, /404/],
  ['A B', `sha256:${'0'.repeat(64)}`, /A B/],
  ['a/b', 'latest', /latest/],
])('[BC54] an image %s@%s that can not be had is unavailable, with the reason', async (name, digest, reason) => {
  await using registry = await RegistryDouble.start();
  await using store = await startStore();
  const asked = store.client.provideRegistryImage({ repository: `${registry.host}/${name}`, digest }, () => {}, soon());
  await expect(asked).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(reason) });
});

test.each<[string, RegistryDouble['intercept'], RegExp]>([
  ['answers with errors', (_, response) => Boolean(response.writeHead(503).end('too busy')), /503 too busy/],
  ['breaks connections', ({ socket }) => Boolean(socket.destroy()), /cannot be reached/],
  ['never answers', () => true, /does not answer within 0\.1 s/],
])('[BC54] a registry that %s is silent, with the reason', async (_, intercept, reason) => {
  await using registry = await RegistryDouble.start();
  registry.intercept = intercept;
  const patienceMs = intercept.length === 0 ? 100 : 30_000;
  const provide = describedImages({ now: Date.now, sleep: async () => {} }, patienceMs);
  const asked = provide({ repository: `${registry.host}/a/b`, digest: `sha256:${'0'.repeat(64)}` }, () => {}, soon());
  await expect(asked).rejects.toMatchObject({ code: 'registry-silent', message: expect.stringMatching(reason) });
});

test('[BC54] lines of the work come before the answer, and the work ends when the reader leaves', async () => {
  const image = { reference: 'r', env: [], user: '', command: [] };
  const request = { repository: 'a', digest: 'd' };
  const whole = messagesOf(async (_, onLine) => {
    onLine('pulling');
    return image;
  }, request);
  expect(await new Response(whole).text()).toBe(`{"line":"pulling"}\n${JSON.stringify({ image })}\n`);
  const aborted = Promise.withResolvers<void>();
  const left = messagesOf(async (_request, _onLine, signal) => {
    signal.addEventListener('abort', () => aborted.resolve());
    await aborted.promise;
    return image;
  }, request);
  await left.cancel();
  await aborted.promise;
});
