import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layerOf, RegistryDouble, type TestImage, testImage, testLayer } from '@seaplane/oci/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Version } from '../request.ts';
import { aliasesOf } from './image-out.ts';
import { registryImageType as type } from './registry-image-type.ts';
import { parseSemver, type Semver } from './semver.ts';

let registry: RegistryDouble;
let dir = '';
const logged: string[] = [];
const context = {
  now: Date.now,
  env: process.env,
  log: (l: string) => void logged.push(l),
  signal: new AbortController().signal,
};

beforeEach(async () => {
  registry = await RegistryDouble.start();
  dir = await mkdtemp(join(tmpdir(), 'registry-image-'));
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

async function imageOf(text: string): Promise<TestImage> {
  return testImage([await testLayer({ text }, 'gzip')]);
}

async function publish(tags: Record<string, string>): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [tag, text] of Object.entries(tags)) {
    const image = await imageOf(text);
    registry.add('a/b', tag, image);
    digests[tag] = image.digest;
  }
  registry.intercept = (request, response) => {
    if (!request.url?.endsWith('/tags/list')) return false;
    response.end(JSON.stringify({ name: 'a/b', tags: Object.keys(tags) }));
    return true;
  };
  return digests;
}

function check(source: object = {}, version?: Version): Promise<readonly Version[]> {
  const request = {
    source: { repository: `${registry.host}/a/b`, ...source },
    params: {},
    ...(version && { version }),
  };
  return type.check(context, request);
}

async function tagsOf(source: object, version?: Version): Promise<(string | undefined)[]> {
  return (await check(source, version)).map((found) => found['tag']);
}

test('[BT30] with a tag: its digest, after the digest it had, as long as the registry has that', async () => {
  const [old, digests] = [await imageOf('old'), await publish({ '1': 'one' })];
  const current = { tag: '1', digest: digests['1'] ?? '' };
  expect(await check({ tag: 1 })).toEqual([current]);
  expect(await check({ tag: '1' }, current)).toEqual([current]);
  expect(await check({ tag: '1' }, { tag: '1', digest: old.digest })).toEqual([current]);
  registry.add('a/b', 'x', old);
  expect(await check({ tag: '1' }, { tag: '1', digest: old.digest })).toEqual([
    { tag: '1', digest: old.digest },
    current,
  ]);
  expect(await check({ tag: 'none' })).toEqual([]);
});

const TAGS = {
  latest: 'three',
  '1': 'one',
  '1.0': 'one',
  '1.0.1': 'one',
  '2.0.0-rc.1': 'two-rc',
  '2.0.0-alpine': 'alpine',
  '2.0.0-php7-alpine': 'php',
  '2.0.0': 'two',
  v3: 'other',
  edge: 'edge',
};

test('[BT31] without a tag: version numbers in their order, one a digest, and latest if it has no number', async () => {
  await publish(TAGS);
  expect(await tagsOf({})).toEqual(['1.0.1', '2.0.0', 'v3', 'latest']);
  expect(await tagsOf({ pre_releases: true })).toEqual(['1.0.1', '2.0.0-rc.1', '2.0.0', 'v3', 'latest']);
  expect(await tagsOf({ variant: 'alpine' })).toEqual(['2.0.0-alpine']);
  expect(await tagsOf({ variant: 'php7-alpine' })).toEqual(['2.0.0-php7-alpine']);
  expect(await tagsOf({ semver_constraint: '< 3' })).toEqual(['1.0.1', '2.0.0']);
  expect(await tagsOf({ tag_regex: '^(edge|v.)$' })).toEqual(['v3', 'edge']);
});

test('[BT31] with a version: that one and those after it', async () => {
  const digests = await publish(TAGS);
  const from = (tag: string) => ({ tag, digest: digests[tag] ?? '' });
  expect(await tagsOf({}, from('2.0.0'))).toEqual(['2.0.0', 'v3', 'latest']);
  expect(await tagsOf({}, { ...from('2.0.0'), digest: `sha256:${'0'.repeat(64)}` })).toContain('1.0.1');
});

test('[BT33] rootfs: layers over each other, with whiteouts, and what runs in it', async () => {
  const layers = [
    await testLayer({ 'etc/keep': '1', 'etc/gone': '1', 'var/old/x': '1', 'bin/tool': 'old' }, 'gzip'),
    await testLayer({ 'etc/.wh.gone': '', 'var/old/.wh..wh..opq': '', 'var/old/y': '2', 'bin/tool': 'new' }, 'zstd'),
    await testLayer({ 'new/.wh.nothing': '', 'new/z': '3' }, 'none'),
  ];
  const config = { Env: ['A=1'], User: 'me', Cmd: ['sh'], Entrypoint: ['/init'], Labels: { l: 'v' } };
  const image = testImage(layers, config);
  registry.add('a/b', '1', image);
  const version = { tag: '1', digest: image.digest };
  const repository = `${registry.host}/a/b`;
  const answer = await type.in(context, { source: { repository, tag: '1' }, params: {}, version }, join(dir, 'to'));
  expect(answer).toEqual({
    version,
    metadata: [
      { name: 'repository', value: repository },
      { name: 'tag', value: '1' },
    ],
  });
  const files = await readdir(join(dir, 'to'), { recursive: true, withFileTypes: true });
  const names = files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 4));
  expect(names.sort()).toEqual(
    ['digest', 'labels.json', 'metadata.json', 'repository', 'tag']
      .concat(['bin/tool', 'etc/keep', 'new/z', 'var/old/y'].map((path) => `rootfs/${path}`))
      .sort(),
  );
  const text = (path: string) => readFile(join(dir, 'to', path), 'utf8');
  expect(await text('rootfs/bin/tool')).toBe('new');
  expect(JSON.parse(await text('metadata.json'))).toEqual({
    env: ['A=1'],
    user: 'me',
    cmd: ['sh'],
    entrypoint: ['/init'],
  });
  expect(JSON.parse(await text('labels.json'))).toEqual({ l: 'v' });
  expect([await text('tag'), await text('digest'), await text('repository')]).toEqual(['1', image.digest, repository]);
});

test('[BT33] a layer that replaces a link by a directory does not write through the link', async () => {
  const link = spawnSync('sh', ['-c', `mkdir ${dir}/t && ln -s ${dir}/victim ${dir}/t/var && tar -c -C ${dir}/t .`]);
  const image = testImage([layerOf(link.stdout, 'gzip'), await testLayer({ 'var/x': 'x' }, 'gzip')]);
  registry.add('a/b', '1', image);
  const source = { repository: `${registry.host}/a/b` };
  await type.in(context, { source, params: {}, version: { tag: '1', digest: image.digest } }, join(dir, 'to'));
  expect([existsSync(join(dir, 'victim')), existsSync(join(dir, 'to/rootfs/var/x'))]).toEqual([false, true]);
});

test('[BT34] skip_download, and the formats oci and oci-layout', async () => {
  const image = testImage([await testLayer({ x: '1' }, 'gzip')], { Labels: { a: 'b' } });
  registry.add('a/b', '1', image);
  const get = (to: string, params: object) =>
    type.in(
      context,
      {
        source: { repository: `${registry.host}/a/b` },
        params: { ...params },
        version: { tag: '1', digest: image.digest },
      },
      join(dir, to),
    );
  await get('none', { skip_download: true });
  expect((await readdir(join(dir, 'none'))).sort()).toEqual(['digest', 'repository', 'tag']);
  await get('tar', { format: 'oci' });
  const list = spawnSync('tar', ['-tf', join(dir, 'tar/image.tar')], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');
  expect(list).toEqual([expect.stringMatching(/^sha256:/), expect.stringMatching(/\.tar\.gz$/), 'manifest.json']);
  await get('layout', { format: 'oci-layout' });
  const index = JSON.parse(await readFile(join(dir, 'layout/oci/index.json'), 'utf8'));
  expect(index.manifests).toMatchObject([{ digest: image.digest }]);
  expect(await readdir(join(dir, 'layout/oci/blobs/sha256'))).toHaveLength(3);
  await expect(get('bad', { format: 'zip' })).rejects.toThrow('params.format must be rootfs, oci or oci-layout');
});

test('[BT30] a mirror that fails is named in the log, and the digest is asked of the registry', async () => {
  const digests = await publish({ '1': 'one' });
  const source = { tag: '1', registry_mirror: { host: '127.0.0.1:1' } };
  expect(await check(source)).toEqual([{ tag: '1', digest: digests['1'] }]); // only Docker Hub has mirrors
});

test('[BT35] aliases of a version that no greater one has', () => {
  const aliases = (text: string, there: string[], variant?: string) =>
    aliasesOf(parseSemver(text) as Semver, there, variant === undefined ? {} : { variant });
  expect(aliases('1.2.3', [])).toEqual(['latest', '1', '1.2']);
  expect(aliases('1.2.3', ['1.2.4', 'edge'])).toEqual([]);
  expect(aliases('1.2.3', ['1.3.0'])).toEqual(['1.2']);
  expect(aliases('1.2.3', ['2.0.0'])).toEqual(['1', '1.2']);
  expect(aliases('1.2.3', ['2.0.0-rc.1', '1.2.2'])).toEqual(['latest', '1', '1.2']);
  expect(aliases('1.2.3', ['2.0.0', '1.2.2-slim'], 'slim')).toEqual(['slim', '1-slim', '1.2-slim']);
});

test.each([
  [{ repository: '' }, 'source.repository is required'],
  [{ repository: 'http://x/y' }, 'not an image reference'],
  [{ aws_region: 'x' }, 'source.aws_region needs the published image'],
  [{ repositry: 'x' }, 'unknown field source.repositry'],
  [{ semver_constraint: '?' }, 'not a semver constraint'],
])('[BT1] the source %j is refused', async (source, message) => {
  await publish({ '1': 'one' });
  await expect(check(source)).rejects.toThrow(message);
});
