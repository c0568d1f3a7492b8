import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealRegistry, whyNoRegistry } from '@seaplane/dev-toolchain/testing/real-registry.ts';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { resolveReference } from '../testing/resolve-reference.ts';
import { type TestImage, testImage, testLayer } from '../testing/test-image.ts';
import { listTags } from './fetch-documents.ts';
import { LayerStore } from './layer-store.ts';
import { pullImage } from './pull.ts';
import { pushBlob, pushManifest } from './push.ts';
import { parseReference } from './reference.ts';
import { RegistryClient } from './registry-client.ts';

const test = anyTest.skipIf(whyNoRegistry());
const credentials = { username: 'someone', password: 'a:secret' };
const signal = new AbortController().signal;
const clock = { now: Date.now, sleep: () => Promise.resolve() };
let registry: RealRegistry;
let scratch = '';

beforeAll(async () => {
  if (whyNoRegistry()) return;
  scratch = await mkdtemp(join(tmpdir(), 'oci-real-'));
  registry = await RealRegistry.start(credentials);
});
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  if (scratch) await rm(scratch, { recursive: true });
});

async function push(image: TestImage, tag: string): Promise<void> {
  using client = new RegistryClient(clock, parseReference(`${registry.host}/team/app`), { credentials }, 'pull,push');
  const { config } = JSON.parse(String(image.manifest)) as { config: { digest: `sha256:${string}`; size: number } };
  await pushBlob(client, config, () => image.config, signal);
  for (const { descriptor, bytes } of image.layers) await pushBlob(client, descriptor, () => bytes, signal);
  await pushManifest(client, tag, { mediaType: image.mediaType, bytes: image.manifest }, signal);
}

test('[OCI16] [OCI17] [OCI23] an image that was pushed to a real registry with tokens is resolved, listed and pulled', async () => {
  const image = testImage([
    await testLayer({ 'a/one': 'one', 'a/big': randomBytes(3_000_000) }, 'gzip'),
    await testLayer({ 'a/two': 'two' }, 'zstd'),
  ]);
  await push(image, '1.0');
  await push(image, 'latest');
  const reference = parseReference(`${registry.host}/team/app:1.0`);
  expect(await resolveReference(clock, reference, { settings: { credentials }, signal })).toBe(image.digest);
  using client = new RegistryClient(clock, reference, { credentials });
  expect((await listTags(client, signal)).sort()).toEqual(['1.0', 'latest']);
  const layers = await LayerStore.open(join(scratch, 'layers'));
  const deps = { clock, layers, imagesDir: join(scratch, 'images'), convertWhiteouts: async () => {} };
  const pulled = await pullImage(deps, reference, { settings: { credentials }, signal });
  expect(pulled.digest).toBe(image.digest);
  expect(await readFile(join(pulled.layers[0] ?? '', 'a/one'), 'utf8')).toBe('one');
  expect(await readFile(join(pulled.layers[1] ?? '', 'a/two'), 'utf8')).toBe('two');
  expect(registry.tokenRequests).toContain(
    'GET /token?service=test-registry&scope=repository%3Ateam%2Fapp%3Apull%2Cpush someone',
  );
});

test('[OCI16] a real registry refuses strangers and wrong passwords', async () => {
  const reference = parseReference(`${registry.host}/team/app:1.0`);
  const ask = (settings: object) => resolveReference(clock, reference, { settings, signal });
  await expect(ask({})).rejects.toMatchObject({ code: 'registry-refused' });
  await expect(ask({ credentials: { ...credentials, password: 'no' } })).rejects.toMatchObject({
    code: 'registry-refused',
    message: expect.stringContaining('wrong password'),
  });
});

test('[OCI22] a real registry does not know a tag', async () => {
  const reference = parseReference(`${registry.host}/team/app:none`);
  expect(await resolveReference(clock, reference, { settings: { credentials }, signal })).toBeUndefined();
});
