import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MediaType, type Platform } from './descriptor.ts';
import { thisPlatform } from './image.ts';
import { loadImage } from './load-image.ts';
import { digestOf } from './registry/documents.ts';
import { LayerStore } from './registry/layer-store.ts';
import { type TestImage, testImage, testLayer } from './testing/test-image.ts';

let scratch = '';

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'oci-load-'));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

async function load(path: string, converted: string[] = []) {
  const layers = await LayerStore.open(join(scratch, 'layers'));
  const convertWhiteouts = async (dir: string) => void converted.push(dir);
  return loadImage({ layers, convertWhiteouts }, path, { signal: AbortSignal.timeout(60_000) });
}

interface Member {
  readonly image: TestImage;
  readonly platform?: Platform;
}

/** A layout in `scratch/layout`. */
async function layoutOf(...members: readonly Member[]): Promise<string> {
  const dir = join(scratch, 'layout');
  const blobs = join(dir, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const save = (bytes: Buffer) => writeFile(join(blobs, digestOf(bytes).slice(7)), bytes);
  for (const { image } of members) {
    await save(image.manifest);
    await save(image.config);
    for (const { bytes } of image.layers) await save(bytes);
  }
  const manifests = members.map(({ image, platform }) => {
    return { mediaType: image.mediaType, digest: image.digest, size: image.manifest.length, platform };
  });
  await writeFile(join(dir, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(dir, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType: MediaType.index, manifests }));
  return dir;
}

function archiveOf(layout: string, ...flags: string[]): string {
  const file = join(scratch, 'image.tar');
  expect(spawnSync('tar', ['--create', ...flags, `--file=${file}`, '-C', layout, '.']).status).toBe(0);
  return file;
}

const files = async (text: string) => testImage([await testLayer({ 'etc/x': text }, 'gzip')], { Env: ['A=1'] });

test.each([
  ['a directory', (layout: string) => layout],
  ['an archive', (layout: string) => archiveOf(layout)],
  ['a compressed archive', (layout: string) => archiveOf(layout, '--gzip')],
])('[OCI25] %s is loaded once, lowest layer first', async (_, place) => {
  const lower = await testLayer({ 'etc/a': 'lower' }, 'gzip');
  const upper = await testLayer({ 'etc/b': 'upper' }, 'zstd');
  const path = place(await layoutOf({ image: testImage([lower, upper], { Env: ['A=1'] }) }));
  const converted: string[] = [];
  const loaded = await load(path, converted);
  expect(loaded.config).toEqual({ Env: ['A=1'] });
  expect(loaded.layers).toEqual([lower, upper].map(({ diffId }) => join(scratch, 'layers', diffId.slice(7))));
  expect(await readFile(join(loaded.layers[0] ?? '', 'etc/a'), 'utf8')).toBe('lower');
  expect(await readFile(join(loaded.layers[1] ?? '', 'etc/b'), 'utf8')).toBe('upper');
  expect(converted).toHaveLength(2);
  expect(await load(path, converted)).toEqual(loaded);
  expect(converted).toHaveLength(2);
});

test('[OCI25] of several images the one for the platform is taken', async () => {
  const other = { os: 'linux', architecture: 'other' };
  const [mine, foreign] = [await files('mine'), await files('foreign')];
  const path = await layoutOf({ image: foreign, platform: other }, { image: mine, platform: thisPlatform() });
  const { layers } = await load(path);
  expect(await readFile(join(layers[0] ?? '', 'etc/x'), 'utf8')).toBe('mine');
});

test('[OCI25] a forged document or layer is refused, and leaves no layer', async () => {
  const image = await files('x');
  const path = await layoutOf({ image });
  const blob = (digest: string) => join(path, 'blobs/sha256', digest.slice(7));
  await writeFile(blob(image.layers[0]?.descriptor.digest ?? ''), (await testLayer({ y: 'y' }, 'gzip')).bytes);
  await expect(load(path)).rejects.toMatchObject({ code: 'digest-mismatch' });
  expect(await readdir(join(scratch, 'layers'))).toEqual(['blobs', 'incoming', 'used']);
  await writeFile(blob(image.digest), image.manifest.toString().replace('gzip', 'zip'));
  await expect(load(path)).rejects.toThrow('the layout has');
});

test('[OCI25] something else is refused with words', async () => {
  await writeFile(join(scratch, 'text'), 'not an archive, and not much longer');
  await expect(load(join(scratch, 'text'))).rejects.toThrow('is not an archive');
  await mkdir(join(scratch, 'empty'));
  await expect(load(join(scratch, 'empty'))).rejects.toThrow('has no index.json: it is not an OCI layout');
  await expect(load(archiveOf(join(scratch, 'empty')))).rejects.toThrow('has no index.json: it is not an OCI archive');
  await expect(load(join(scratch, 'none'))).rejects.toThrow("can't be read");
});
