import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oneLayer, PullBed } from '../testing/pull-bed.ts';
import { RegistryDouble } from '../testing/registry-double.ts';
import { resolveReference } from '../testing/resolve-reference.ts';
import { pullImage } from './pull.ts';
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

test('[OCI19] a registry that is busy is asked again when it says, and at last given up', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  let refusals = 2;
  registry.intercept = (_request, response) => {
    if (refusals-- <= 0) return false;
    response.writeHead(refusals === 1 ? 429 : 503, refusals === 1 ? { 'retry-after': '3' } : {}).end();
    return true;
  };
  await pull();
  expect(bed.slept).toEqual([3000, 1000]);
  refusals = Number.POSITIVE_INFINITY;
  await expect(pull()).rejects.toMatchObject({ code: 'registry-failed', message: expect.stringContaining('503') });
  expect(bed.slept).toHaveLength(2 + 4);
});

test('[OCI19] a pause of an hour is not waited for', async () => {
  registry.intercept = (_request, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end('{"errors":[{"code":"TOOMANYREQUESTS","message":"slow"}]}');
    return true;
  };
  await expect(pull()).rejects.toThrow(/429 TOOMANYREQUESTS: slow; it wants a pause until 3600/);
  expect(bed.slept).toEqual([]);
});

test('[OCI16] a redirect to another host is followed without the credentials', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  await using store = await RegistryDouble.start();
  store.add('a/b', '1', image);
  const seen: (string | undefined)[] = [];
  store.intercept = (request) => {
    seen.push(request.headers.authorization);
    return false;
  };
  registry.intercept = (request, response) => {
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return true;
    }
    if (!request.url?.includes('/blobs/')) return false;
    response.writeHead(307, { location: `http://${store.host}${request.url}` }).end();
    return true;
  };
  await pull(':1', { settings: { credentials: { username: 'u', password: 'p:ä' } } });
  expect(seen).toEqual([undefined, undefined]);
});

test('[OCI16] an expired token is asked for again', async () => {
  const image = await oneLayer();
  registry.add('a/b', '1', image);
  let tokens = 0;
  registry.intercept = (request, response) => {
    if (request.url?.startsWith('/token')) {
      response.end(JSON.stringify({ token: `t${++tokens}` }));
      return true;
    }
    const wanted = request.url?.includes('/blobs/') ? 'Bearer t2' : 'Bearer t1';
    if (request.headers.authorization === wanted) return false;
    const challenge = `Bearer realm="http://${registry.host}/token",service="s"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  };
  await pull();
  expect(registry.requests.filter((line) => line.includes('/token'))).toEqual(
    Array(2).fill('GET /token?service=s&scope=repository%3Aa%2Fb%3Apull'),
  );
});

test('[OCI16] a password that does not help is refused by name', async () => {
  registry.intercept = (_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
    return true;
  };
  const settings = { credentials: { username: 'u', password: 'wrong' } };
  await expect(pull(':1', { settings })).rejects.toMatchObject({ code: 'registry-refused' });
  await expect(pull(':1', {})).rejects.toMatchObject({ code: 'registry-refused' });
});

test('[OCI22] a mirror is asked for images of Docker Hub, and the registry itself when the mirror fails', async () => {
  const image = await oneLayer();
  registry.add('library/alpine', '3', image);
  const options = { settings: { mirrors: [{ host: registry.host }] }, signal: new AbortController().signal };
  expect(await resolveReference(bed.clock, parseReference('alpine:3'), options)).toBe(image.digest);
  const hub = parseReference('alpine:3');
  const pulled = await pullImage(await deps(), hub, options);
  expect(existsSync(join(pulled.layers[0] ?? '', 'etc/x'))).toBe(true);
  const other = parseReference(`${registry.host}/library/alpine:3`);
  registry.requests.length = 0;
  const none = { ...options, settings: { mirrors: [{ host: '127.0.0.1:1' }] } };
  expect(await resolveReference(bed.clock, other, none)).toBe(image.digest);
});

test('[OCI22] a tag that the registry does not know resolves to nothing', async () => {
  const signal = new AbortController().signal;
  expect(await resolveReference(bed.clock, parseReference(`${registry.host}/a/b:2`), { signal })).toBeUndefined();
  await expect(pull(':2')).rejects.toMatchObject({ code: 'unknown-image' });
});
