import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { type Content, openContent, readBlob } from './content.ts';
import type { Descriptor } from './descriptor.ts';
import { thisPlatform, writeImage } from './image.ts';
import { layerFromDirectory } from './layer.ts';
import { writeLayout, writeLayoutArchive } from './layout.ts';

const AMD64 = { architecture: 'amd64', os: 'linux' } as const;
let scratch = '';

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'oci-image-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function build(): Promise<{ content: Content; manifest: Descriptor; archive: string }> {
  const tree = await mkdtemp(join(scratch, 'tree-'));
  await writeFile(join(tree, 'hello'), 'hello\n', { mode: 0o644 });
  const content = await openContent(await mkdtemp(join(scratch, 'layout-')));
  const layers = [await layerFromDirectory(content, tree, { ownership: 'root' })];
  const config = { Env: ['A=1'], User: 'root', Entrypoint: ['/hello'], WorkingDir: '/', Labels: { b: '2', a: '1' } };
  const manifest = await writeImage(content, { layers, config, platform: AMD64 });
  await writeLayout(content, [{ ref: 'seaplane.test:5000/hello:dev', manifest }]);
  const archive = `${content.dir}.tar`;
  await writeLayoutArchive(content, archive);
  return { content, manifest, archive };
}

test('[OCI11] [OCI13] built twice, the manifest and the archive are the same', async () => {
  const first = await build();
  const second = await build();
  expect(second.manifest).toEqual(first.manifest);
  expect((await readFile(second.archive)).equals(await readFile(first.archive))).toBe(true);
});

test('[OCI12] manifest, configuration and layer refer to each other by digest', async () => {
  const { content, manifest } = await build();
  const document = (await json((await readBlob(content, manifest.digest)).stream)) as {
    mediaType: string;
    config: Descriptor;
    layers: Descriptor[];
  };
  expect(document.mediaType).toBe(manifest.mediaType);
  const config = await readBlob(content, document.config.digest);
  expect(config.size).toBe(document.config.size);
  expect(await json(config.stream)).toEqual({
    architecture: 'amd64',
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: { Env: ['A=1'], User: 'root', Entrypoint: ['/hello'], WorkingDir: '/', Labels: { a: '1', b: '2' } },
    rootfs: { type: 'layers', diff_ids: [document.layers[0]?.digest] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'seaplane' }],
  });
});

test('[OCI12] the platform is named in Go terms', () => {
  expect(thisPlatform('x64')).toEqual(AMD64);
  expect(thisPlatform('arm64').architecture).toBe('arm64');
  expect(() => thisPlatform('mips')).toThrowError(expect.objectContaining({ code: 'bad-value' }));
});

test('[OCI13] the archive holds a layout whose index names the image', async () => {
  const { content, manifest, archive } = await build();
  const members = spawnSync('tar', ['-tf', archive], { encoding: 'utf8' }).stdout.trim().split('\n');
  expect(members.filter((member) => !/^blobs\/sha256\/[0-9a-f]{64}$/.test(member))).toEqual([
    'oci-layout',
    'index.json',
    'blobs/',
    'blobs/sha256/',
  ]);
  expect(members).toHaveLength(4 + 3);
  expect(await readFile(join(content.dir, 'oci-layout'), 'utf8')).toBe('{"imageLayoutVersion":"1.0.0"}');
  const index = JSON.parse(await readFile(join(content.dir, 'index.json'), 'utf8')) as { manifests: Descriptor[] };
  expect(index.manifests).toEqual([
    {
      ...manifest,
      platform: AMD64,
      annotations: {
        'io.containerd.image.name': 'seaplane.test:5000/hello:dev',
        'org.opencontainers.image.ref.name': 'dev',
      },
    },
  ]);
});

test('[OCI11] canonical JSON sorts keys, drops undefined members and refuses values that it cannot express', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'é"' }], a: true, gone: undefined })).toBe(
    '{"a":true,"b":[1,{"c":"é\\"","d":null}]}',
  );
  for (const bad of [Number.NaN, [undefined], () => 1]) {
    expect(() => canonicalJson(bad)).toThrowError(expect.objectContaining({ code: 'bad-value' }));
  }
});
