import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oneLayer, PullBed } from '../testing/pull-bed.ts';
import type { RegistryDouble } from '../testing/registry-double.ts';
import { layerOf, testImage, testLayer } from '../testing/test-image.ts';
import { findPulled, type PullEvent, pullImage } from './pull.ts';
import { parseReference } from './reference.ts';

let bed: PullBed;
let registry: RegistryDouble;
const deps = () => bed.deps();
const pull = (...args: Parameters<PullBed['pull']>) => bed.pull(...args);

beforeEach(async () => {
  bed = await PullBed.start();
  registry = bed.registry;
});
afterEach(() => bed[Symbol.asyncDispose]());

/** The layers that count as whole, and those that are being made. */
async function onDisk(): Promise<{ whole: string[]; incoming: string[] }> {
  const names = await readdir(join(bed.scratch, 'layers'));
  return {
    whole: names.filter((name) => !['incoming', 'blobs', 'used'].includes(name)),
    incoming: await readdir(join(bed.scratch, 'layers', 'incoming')),
  };
}

test('[OCI26] the diff id of a layer that is there does not give the layer to an image with another blob', async () => {
  const secret = await testLayer({ 'etc/secret': 'hunter2' }, 'gzip');
  registry.add('team/private', '1', testImage([secret]));
  const own = await deps();
  const options = { signal: new AbortController().signal };
  await pullImage(own, parseReference(`${registry.host}/team/private:1`), options);
  const mine = await testLayer({ 'etc/mine': 'x' }, 'gzip');
  registry.add('a/b', '1', testImage([{ ...mine, diffId: secret.diffId }])); // its configuration is forged
  await expect(pull(':1', {}, own)).rejects.toMatchObject({ code: 'digest-mismatch' });

  // The same layer in other bytes is proven by them, and there once.
  const again = layerOf(gunzipSync(secret.bytes), 'zstd');
  expect(again.diffId).toBe(secret.diffId);
  registry.add('a/b', '2', testImage([again]));
  const unpacked: PullEvent[] = [];
  const onEvent = (event: PullEvent) => void (event.type === 'unpacked' && unpacked.push(event));
  expect((await pull(':2', { onEvent }, own)).layers).toEqual([join(bed.scratch, 'layers', secret.diffId.slice(7))]);
  expect(unpacked).toEqual([]);
});

test('[OCI17] layers of every compression are unpacked into directories of their own, the lowest first', async () => {
  const layers = [
    await testLayer({ 'etc/a': 'from docker' }, 'docker'),
    await testLayer({ 'etc/b': 'from gzip' }, 'gzip'),
    await testLayer({ 'etc/c': 'from zstd' }, 'zstd'),
    await testLayer({ 'etc/d': 'plain' }, 'none'),
  ];
  const image = testImage(layers, { Env: ['A=1'], User: 'nobody' });
  registry.add('a/b', '1', image);
  const converted: string[] = [];
  const own = { ...(await deps()), convertWhiteouts: async (dir: string) => void converted.push(dir) };
  const pulled = await pull(':1', {}, own);
  expect(pulled).toMatchObject({ digest: image.digest, config: { Env: ['A=1'], User: 'nobody' } });
  expect(pulled.layers).toEqual(layers.map(({ diffId }) => join(bed.scratch, 'layers', diffId.slice(7))));
  const texts = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name, i) => readFile(join(pulled.layers[i] ?? '', 'etc', name), 'utf8')),
  );
  expect(texts).toEqual(['from docker', 'from gzip', 'from zstd', 'plain']);
  expect(converted).toHaveLength(4);
  expect((await onDisk()).incoming).toEqual([]);
});

test('[OCI17] an index leads to the image for the platform, and the digest is that of the index', async () => {
  const [amd, arm] = [await oneLayer({ arch: 'amd64' }), await oneLayer({ arch: 'arm64' })];
  const digest = registry.addIndex('a/b', '1', [
    { image: amd, platform: { os: 'linux', architecture: 'amd64' } },
    { image: arm, platform: { os: 'linux', architecture: 'arm64' } },
  ]);
  const pulled = await pull(':1', { platform: { os: 'linux', architecture: 'arm64' } });
  expect(pulled.digest).toBe(digest);
  expect(await readFile(join(pulled.layers[0] ?? '', 'arch'), 'utf8')).toBe('arm64');
  await expect(pull(':1', { platform: { os: 'linux', architecture: 's390x' } })).rejects.toMatchObject({
    code: 'bad-document',
    message: expect.stringContaining('no image for linux/s390x, only for linux/amd64, linux/arm64'),
  });
});

test('[OCI27] an image that is here is not fetched again, and the registry is asked whether it may be used', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  await pull();
  registry.requests.length = 0;
  const { config, layers } = await pull(`@${image.digest}`);
  expect({ config, layers: layers.length }).toMatchObject({ config: {}, layers: 1 });
  expect(registry.requests.filter((line) => !line.endsWith('/v2/'))).toEqual([
    `HEAD /v2/a/b/manifests/${image.digest}`,
  ]);
  await pull();
  expect(registry.requests.filter((line) => line.includes(image.layers[0]?.descriptor.digest ?? ''))).toEqual([]);
});

test('[OCI27] whoever may not have an image does not get it because another one has pulled it', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  registry.add('other/place', '1', await oneLayer({ 'etc/y': 'y' }));
  const owner = { settings: { credentials: { username: 'ann', password: 'right' } } };
  const right = `Basic ${Buffer.from('ann:right').toString('base64')}`;
  registry.intercept = ({ headers }, response) => {
    if (headers.authorization === right) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return true;
  };
  await pull(':1', owner);
  const by = `@${image.digest}`;
  expect((await pull(by, owner)).digest).toBe(image.digest);
  const thief = { settings: { credentials: { username: 'ann', password: 'wrong' } } };
  for (const options of [{}, thief])
    await expect(pull(by, options)).rejects.toMatchObject({ code: 'registry-refused' });
  registry.intercept = () => false;
  const elsewhere = parseReference(`${registry.host}/other/place${by}`);
  const options = { signal: new AbortController().signal };
  await expect(pullImage(await deps(), elsewhere, options)).rejects.toMatchObject({ code: 'unknown-image' });
});

test('[OCI27] while the registry is away, an image is there for those who have had it', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  await pull();
  const by = `@${image.digest}`;
  registry.intercept = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  expect((await pull(by)).digest).toBe(image.digest);
  const other = { settings: { credentials: { username: 'bob', password: 'x' } } };
  await expect(pull(by, other)).rejects.toMatchObject({ code: 'registry-failed' });
  registry.intercept = () => false;
  await pull(by, other);
  registry.intercept = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  expect((await pull(by, other)).digest).toBe(image.digest);
});

test('[OCI28] an image that was shown to the same password is used without asking, if the caller says so', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  await pull();
  registry.requests.length = 0;
  const by = `@${image.digest}`;
  expect((await pull(by, { askAgain: false })).digest).toBe(image.digest);
  expect(registry.requests).toEqual([]);
  await pull(by, { askAgain: false, settings: { credentials: { username: 'bob', password: 'x' } } });
  expect(registry.requests).toContain(`HEAD /v2/a/b/manifests/${image.digest}`);
});

test('[OCI28] an image is found by its digest while all of its layers are there', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  const own = await deps();
  expect(await findPulled(own, image.digest)).toBeUndefined();
  const { layers } = await pull(':1', {}, own);
  expect(await findPulled(own, image.digest)).toMatchObject({ digest: image.digest, layers });
  await rm(layers[0] ?? '', { recursive: true });
  expect(await findPulled(await deps(), image.digest)).toBeUndefined();
});

test('[OCI18] several pulls at once fetch a layer once, and one that is aborted does not stop the others', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  const layerUrl = `/v2/a/b/blobs/${image.layers[0]?.descriptor.digest}`;
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  registry.intercept = (request, response) => {
    if (request.url !== layerUrl) return false;
    reached.resolve();
    goOn.promise.then(() => response.end(image.layers[0]?.bytes));
    return true;
  };
  const own = await deps();
  const leaver = new AbortController();
  const first = pull(':1', { signal: leaver.signal }, own);
  first.catch(() => {});
  await reached.promise;
  const second = pull(':1', {}, own);
  await expect.poll(() => registry.requests.filter((line) => line.endsWith('/manifests/1')).length).toBe(2);
  const configs = () => registry.requests.filter((line) => line.includes('/blobs/') && !line.endsWith(layerUrl)).length;
  await expect.poll(configs).toBe(2);
  leaver.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  goOn.resolve();
  expect((await second).digest).toBe(image.digest);
});

test('[OCI20] a download whose connection is cut goes on where it stopped', async () => {
  const image = await oneLayer({ big: randomBytes(400_000) });
  registry.add('a/b', '1', image);
  const ranges: (string | undefined)[] = [];
  registry.intercept = (request, response) => {
    const blob = registry.blobOf(request.url ?? '');
    if (!blob || blob.length < 100_000) return false;
    ranges.push(request.headers.range);
    if (ranges.length > 2) return false;
    const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': blob.length - start,
      ...(start > 0 && { 'content-range': `bytes ${start}-${blob.length - 1}/${blob.length}` }),
    });
    response.write(blob.subarray(start, start + 100_000), () => response.destroy());
    return true;
  };
  const events: PullEvent[] = [];
  await pull(':1', { onEvent: (event) => events.push(event) });
  expect(ranges[0]).toBeUndefined();
  expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range ?? ''))).toBe(true);
  const size = image.layers[0]?.descriptor.size;
  expect(events.filter((event) => event.type === 'layer').at(-1)).toMatchObject({ bytes: size, size });
  expect(events.map(({ type }) => type).filter((type) => type !== 'layer')).toEqual(['fetching', 'unpacked']);
});

test('[OCI20] a registry that knows no ranges is read again from the start', async () => {
  const image = await oneLayer({ big: randomBytes(300_000) });
  registry.add('a/b', '1', image);
  let times = 0;
  registry.intercept = (request, response) => {
    const blob = registry.blobOf(request.url ?? '');
    if (!blob || blob.length < 100_000) return false;
    response.writeHead(200, { 'content-length': blob.length });
    if (times++ === 0) response.write(blob.subarray(0, 200_000), () => response.destroy());
    else response.end(blob);
    return true;
  };
  await pull();
  expect(times).toBe(2);
});

test('[OCI20] a download that never gets further is given up', async () => {
  const image = await oneLayer({ big: randomBytes(300_000) });
  registry.add('a/b', '1', image);
  registry.intercept = (request, response) => {
    const blob = registry.blobOf(request.url ?? '');
    if (!blob || blob.length < 100_000) return false;
    const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': blob.length - start });
    if (start > 0) response.flushHeaders();
    else response.write(blob.subarray(0, 1000));
    setImmediate(() => response.destroy());
    return true;
  };
  await expect(pull()).rejects.toMatchObject({ code: 'registry-failed' });
  expect(await onDisk()).toEqual({ whole: [], incoming: [] });
});

test.each(['layer', 'config', 'manifest'] as const)('[OCI21] a %s with other bytes leaves nothing', async (what) => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  const other = await oneLayer({ 'etc/x': 'y' });
  registry.intercept = (request, response) => {
    const url = request.url ?? '';
    const isLayer = url.endsWith(image.layers[0]?.descriptor.digest ?? '');
    if (what === 'manifest' && url.endsWith(image.digest)) response.end(other.manifest);
    else if (what === 'config' && url.includes('/blobs/') && !isLayer) response.end(other.config);
    else if (what === 'layer' && isLayer) response.end(other.layers[0]?.bytes);
    else return false;
    return true;
  };
  await expect(pull(`@${image.digest}`)).rejects.toMatchObject({ code: 'digest-mismatch' });
  expect(await onDisk()).toEqual({ whole: [], incoming: [] });
});

test('[OCI21] a layer whose uncompressed bytes are not those of its diff id leaves nothing', async () => {
  const layer = await testLayer({ x: 'x' }, 'gzip');
  registry.add('a/b', '1', testImage([{ ...layer, diffId: `sha256:${'0'.repeat(64)}` }]));
  await expect(pull()).rejects.toMatchObject({ code: 'digest-mismatch' });
  expect(await onDisk()).toEqual({ whole: [], incoming: [] });
});

test('[OCI21] a layer that is not a tar archive leaves nothing, and one layer that fails gives up the others', async () => {
  registry.add('a/b', '1', testImage([await testLayer({ x: 'x' }, 'gzip'), layerOf(Buffer.alloc(2048, 'x'), 'gzip')]));
  await expect(pull()).rejects.toMatchObject({ code: 'tar-failed' });
  expect((await onDisk()).incoming).toEqual([]);
});
