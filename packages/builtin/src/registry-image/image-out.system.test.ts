import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealRegistry, whyNoRegistry } from '@seaplane/dev-toolchain/testing/real-registry.ts';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { registryImageType as type } from './registry-image-type.ts';

const test = anyTest.skipIf(whyNoRegistry());
const user = { username: 'someone', password: 'secret' };
const context = { now: Date.now, env: process.env, log: () => {}, signal: new AbortController().signal };
let registry: RealRegistry;
let dir = '';

beforeAll(async () => {
  if (whyNoRegistry()) return;
  dir = await mkdtemp(join(tmpdir(), 'image-out-'));
  registry = await RealRegistry.start(user);
  await mkdir(join(dir, 'tree'));
  await mkdir(join(dir, 'save/layer'), { recursive: true });
  await writeFile(join(dir, 'tree/hello'), 'hello\n');
  spawnSync('tar', ['-cf', join(dir, 'save/layer/layer.tar'), '-C', join(dir, 'tree'), '.']);
  const diffId = spawnSync('sha256sum', [join(dir, 'save/layer/layer.tar')], { encoding: 'utf8' }).stdout.slice(0, 64);
  const rootfs = { type: 'layers', diff_ids: [`sha256:${diffId}`] };
  const config = { architecture: 'amd64', os: 'linux', config: { Env: ['A=1'] }, rootfs };
  await writeFile(join(dir, 'save/config.json'), JSON.stringify(config));
  const listing = [{ Config: 'config.json', RepoTags: null, Layers: ['layer/layer.tar'] }];
  await writeFile(join(dir, 'save/manifest.json'), JSON.stringify(listing));
  await mkdir(join(dir, 'build'));
  spawnSync('tar', ['-cf', join(dir, 'build/image-1.tar'), '-C', join(dir, 'save'), '.']);
});
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  if (dir) await rm(dir, { recursive: true });
});

function source(name: string, more: object = {}) {
  return { repository: `${registry.host}/team/${name}`, ...user, ...more };
}

test('[BT36] a docker archive is pushed under all tags, fetched in each format, and pushed again from there', async () => {
  await writeFile(join(dir, 'build/tags'), 'extra other\n');
  const params = { image: 'build/image-*.tar', version: 'v1.2.3', bump_aliases: true, additional_tags: 'build/tags' };
  const put = await type.out(context, { source: source('app', { tag: 'dev' }), params }, dir);
  const tags = 'dev 1.2.3 latest 1 1.2 extra other';
  expect(put.metadata).toEqual([
    { name: 'repository', value: `${registry.host}/team/app` },
    { name: 'tags', value: tags },
  ]);
  expect(put.version['tag']).toBe('dev');
  expect(await type.check(context, { source: source('app', { tag: 'extra' }), params: {} })).toEqual([
    { tag: 'extra', digest: put.version['digest'] },
  ]);
  expect(await type.check(context, { source: source('app'), params: {} })).toEqual([
    { tag: '1.2.3', digest: put.version['digest'] },
  ]);
  for (const format of ['rootfs', 'oci', 'oci-layout']) {
    const request = { source: source('app'), params: { format }, version: put.version };
    await type.in(context, request, join(dir, format));
  }
  expect(spawnSync('cat', [join(dir, 'rootfs/rootfs/hello')], { encoding: 'utf8' }).stdout).toBe('hello\n');
  for (const image of ['oci/image.tar', 'oci-layout/oci']) {
    const again = await type.out(context, { source: source(`copy`, { tag: 'x' }), params: { image } }, dir);
    expect(again.version).toEqual({ tag: 'x', digest: put.version['digest'] });
  }
});

test('[BT36] images that are missing, doubled or not images, and a put without a tag, are refused', async () => {
  const put = (params: object, more: object = { tag: 'x' }) =>
    type.out(context, { source: source('bad', more), params: { image: 'build/image-1.tar', ...params } }, dir);
  await expect(put({ image: 'none*.tar' })).rejects.toThrow("no files match glob 'none*.tar'");
  await expect(put({ image: '*' })).rejects.toThrow("too many files match glob '*'");
  await expect(put({}, {})).rejects.toThrow('no tag: set source.tag or params.version');
  await expect(put({ version: 'one' })).rejects.toThrow('invalid semantic version: "one"');
  await expect(put({}, { tag: 'x', password: 'wrong' })).rejects.toMatchObject({ code: 'registry-refused' });
});
