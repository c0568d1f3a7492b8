import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  blobPath,
  type Descriptor,
  type Digest,
  DockerMediaType,
  digestOf,
  MediaType,
  openContent,
  parseDigest,
  parseManifest,
  writeBlob,
} from '@seaplane/oci';
import { runProgram } from '../git/git.ts';
import type { ActionContext } from '../request.ts';

/** Something to push: blobs first, then the manifests they belong to, the one that tags name last. */
export interface LoadedImage {
  readonly blobs: readonly { readonly descriptor: Pick<Descriptor, 'digest' | 'size'>; readonly path: string }[];
  readonly manifests: readonly { readonly digest: Digest; readonly mediaType: string; readonly bytes: Buffer }[];
}

/**
 * Reads an image from a directory (an OCI layout) or from an archive: of such a layout, or as `docker save` and
 * oci-build-task write it. `scratch` is an empty directory.
 */
export async function loadImage(context: ActionContext, path: string, scratch: string): Promise<LoadedImage> {
  if ((await stat(path)).isDirectory()) return loadLayout(path);
  const { env, log, signal } = context;
  const flags = ['--extract', `--file=${path}`, `--directory=${scratch}`, '--no-same-owner', '--no-same-permissions'];
  await runProgram({ cwd: scratch, env, log, signal }, 'tar', flags);
  if (existsSync(join(scratch, 'manifest.json'))) return loadDockerArchive(scratch);
  if (existsSync(join(scratch, 'index.json'))) return loadLayout(scratch);
  throw new Error(`${path} holds neither manifest.json nor index.json: it is not an image`);
}

async function loadLayout(dir: string): Promise<LoadedImage> {
  const index = parseManifest(await readFile(join(dir, 'index.json')), 'the layout');
  if (index.kind !== 'index' || index.manifests.length !== 1) {
    throw new Error(`the layout holds ${index.kind === 'index' ? index.manifests.length : 0} images instead of one`);
  }
  const blobs: LoadedImage['blobs'][number][] = [];
  const manifests: LoadedImage['manifests'][number][] = [];
  const add = async ({ digest, mediaType }: Descriptor): Promise<void> => {
    const bytes = await readFile(blobPath({ dir }, digest));
    if (digestOf(bytes) !== digest) throw new Error(`the layout's ${digest} has other bytes`);
    const document = parseManifest(bytes, digest);
    if (document.kind === 'index') for (const child of document.manifests) await add(child);
    else {
      for (const descriptor of [document.config, ...document.layers]) {
        blobs.push({ descriptor, path: blobPath({ dir }, descriptor.digest) });
      }
    }
    manifests.push({ digest, mediaType, bytes });
  };
  for (const entry of index.manifests) await add(entry);
  return { blobs, manifests };
}

/** Layers that are not compressed are compressed here, since registries want them small. */
async function loadDockerArchive(dir: string): Promise<LoadedImage> {
  const listing = JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8')) as {
    Config: string;
    Layers: string[];
  }[];
  const [entry, ...more] = listing;
  if (!entry || more.length > 0) throw new Error(`the archive holds ${listing.length} images instead of one`);
  const content = await openContent(join(dir, '.pushed'));
  const config = await readFile(await within(dir, entry.Config));
  const layers: { descriptor: Descriptor; path: string }[] = [];
  for (const name of entry.Layers ?? []) {
    const path = await within(dir, name);
    const mediaType = await compressionOf(path);
    const bytes = createReadStream(path);
    const compressed = mediaType ? bytes : bytes.pipe(createGzip());
    bytes.on('error', (error) => compressed.destroy(error));
    const written = await writeBlob(content, compressed);
    layers.push({
      descriptor: { mediaType: mediaType ?? DockerMediaType.layerGzip, ...written },
      path: blobPath(content, written.digest),
    });
  }
  const isOci = layers.some(({ descriptor }) => descriptor.mediaType !== DockerMediaType.layerGzip);
  const types = isOci ? MediaType : DockerMediaType;
  const configId = { digest: digestOf(config), size: config.length };
  const configPath = join(dir, '.config');
  await pipeline([config], createWriteStream(configPath));
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: { mediaType: types.config, ...configId },
      layers: layers.map(({ descriptor }) => descriptor),
    }),
  );
  const blobs = [{ descriptor: configId, path: configPath }, ...layers];
  return { blobs, manifests: [{ digest: parseDigest(digestOf(bytes)), mediaType: types.manifest, bytes }] };
}

/** Undefined for a plain archive. */
async function compressionOf(path: string): Promise<string | undefined> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  if (buffer.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))) return DockerMediaType.layerGzip;
  return buffer.equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])) ? `${MediaType.layer}+zstd` : undefined;
}

/** Old archives link equal layers to each other. A link that leads out of the archive is not followed. */
async function within(dir: string, name: string): Promise<string> {
  const [root, path] = [await realpath(dir), await realpath(join(dir, name))];
  if (!path.startsWith(`${root}${sep}`)) throw new Error(`${name} leads out of the archive`);
  return path;
}
