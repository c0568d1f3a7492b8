import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Descriptor, type Digest, MediaType } from '../descriptor.ts';
import { thisPlatform } from '../image.ts';
import { DockerMediaType, digestOf } from '../registry/documents.ts';

export type Compression = 'none' | 'gzip' | 'zstd' | 'docker';

export interface TestLayer {
  readonly descriptor: Descriptor;
  readonly diffId: Digest;
  readonly bytes: Buffer;
}

export interface TestImage {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly manifest: Buffer;
  readonly config: Buffer;
  readonly layers: readonly TestLayer[];
}

const TYPES: Readonly<Record<Compression, string>> = {
  none: MediaType.layer,
  gzip: MediaType.layerGzip,
  zstd: `${MediaType.layer}+zstd`,
  docker: DockerMediaType.layerGzip,
};

/** A layer of files by path. */
export async function testLayer(files: Record<string, string | Buffer>, compression: Compression): Promise<TestLayer> {
  const dir = await mkdtemp(join(tmpdir(), 'oci-layer-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    }
    const args = ['-c', '--owner=0', '--group=0', '--sort=name', '--mtime=@0', '-C', dir, '.'];
    const { status, stdout } = spawnSync('tar', args, { maxBuffer: 2 ** 30 });
    if (status !== 0) throw new Error('tar failed');
    return layerOf(stdout, compression);
  } finally {
    await rm(dir, { recursive: true });
  }
}

export function layerOf(tar: Buffer, compression: Compression): TestLayer {
  const bytes = compression === 'none' ? tar : compression === 'zstd' ? zstdCompressSync(tar) : gzipSync(tar);
  const descriptor = { mediaType: TYPES[compression], digest: digestOf(bytes), size: bytes.length };
  return { descriptor, diffId: digestOf(tar), bytes };
}

export function testImage(layers: readonly TestLayer[], config: object = {}, platform = thisPlatform()): TestImage {
  const isDocker = layers.some(({ descriptor }) => descriptor.mediaType === DockerMediaType.layerGzip);
  const types = isDocker ? DockerMediaType : MediaType;
  const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
  const configBytes = Buffer.from(JSON.stringify({ ...platform, config, rootfs }));
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: { mediaType: types.config, digest: digestOf(configBytes), size: configBytes.length },
      layers: layers.map(({ descriptor }) => descriptor),
    }),
  );
  return { digest: digestOf(manifest), mediaType: types.manifest, manifest, config: configBytes, layers };
}
