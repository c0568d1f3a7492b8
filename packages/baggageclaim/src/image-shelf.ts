import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Content, type Digest, layerFromDirectory, openContent, writeImage } from '@seaplane/oci';
import { BaggageclaimError } from './baggageclaim-error.ts';
import type { ImageAnswer } from './protocol.ts';
import { parseRootfsMetadata } from './rootfs-metadata.ts';

/** Every container gets its own of these from its runtime, so they are nothing of the image's, and differ for nothing. */
const OF_THE_RUNTIME = ['etc/hostname', 'etc/hosts', 'etc/resolv.conf'];

/** An image as it is kept: how it is found, and what may be fetched under its name. */
export interface ShelvedImage {
  readonly answer: ImageAnswer;
  /** Manifest first. */
  readonly blobs: readonly { readonly digest: Digest; readonly size: number; readonly mediaType: string }[];
}

/**
 * Images made of artifacts, below `DIR/images`. Each is described by one file, named after its artifact, which is
 * written last and deleted first: blobs that no description names are left over, and nobody is served them.
 */
export class ImageShelf {
  readonly content: Content;
  readonly #dir: string;
  readonly #key: Buffer;
  readonly #byArtifact = new Map<string, ShelvedImage>();
  readonly #making = new Map<string, Promise<ShelvedImage>>();

  private constructor(dir: string, content: Content, key: Buffer) {
    this.#dir = dir;
    this.content = content;
    this.#key = key;
  }

  static async open(dir: string): Promise<ImageShelf> {
    const descriptions = join(dir, 'images', 'artifacts');
    await mkdir(descriptions, { recursive: true });
    const content = await openContent(join(dir, 'images'));
    const shelf = new ImageShelf(join(dir, 'images'), content, await keyOf(join(dir, 'images', 'key')));
    for (const name of await readdir(descriptions)) {
      if (!name.endsWith('.json')) continue;
      const image = JSON.parse(await readFile(join(descriptions, name), 'utf8')) as ShelvedImage;
      shelf.#byArtifact.set(name.slice(0, -'.json'.length), image);
    }
    return shelf;
  }

  /** Makes the image of an artifact, or finds it made. */
  async make(id: string, artifact: string): Promise<ImageAnswer> {
    const made = this.#byArtifact.get(id);
    if (made) return made.answer;
    const making = this.#making.get(id) ?? this.#make(id, artifact).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    return (await making).answer;
  }

  /** What is served under a name; undefined when there is no such name. */
  find(path: string): ShelvedImage | undefined {
    return [...this.#byArtifact.values()].find(({ answer }) => answer.path === path);
  }

  blobPath(digest: Digest): string {
    return join(this.#dir, 'blobs', 'sha256', digest.slice('sha256:'.length));
  }

  async delete(id: string): Promise<void> {
    const image = this.#byArtifact.get(id);
    if (!image) return;
    await rm(this.#description(id), { force: true });
    this.#byArtifact.delete(id);
    const wanted = new Set([...this.#byArtifact.values()].flatMap(({ blobs }) => blobs.map(({ digest }) => digest)));
    if (this.#making.size > 0) return; // one that is being made may share a blob; it is left over instead
    for (const { digest } of image.blobs) if (!wanted.has(digest)) await rm(this.blobPath(digest), { force: true });
  }

  async #make(id: string, artifact: string): Promise<ShelvedImage> {
    const { env, user } = parseRootfsMetadata(id, await metadataOf(id, artifact));
    const options = { ownership: 'preserve', exclude: OF_THE_RUNTIME } as const;
    const layer = await layerFromDirectory(this.content, join(artifact, 'rootfs'), options);
    const manifest = await writeImage(this.content, { layers: [layer], config: { Env: env } });
    const { config } = JSON.parse(await readFile(this.blobPath(manifest.digest), 'utf8')) as {
      config: ShelvedImage['blobs'][number];
    };
    const path = `seaplane/${createHmac('sha256', this.#key).update(manifest.digest).digest('hex')}`;
    const blobs = [manifest, config, layer.descriptor].map(({ digest, size, mediaType }) => ({
      digest,
      size,
      mediaType,
    }));
    const image: ShelvedImage = { answer: { path, digest: manifest.digest, env, user }, blobs };
    await writeFile(`${this.#description(id)}.partial`, JSON.stringify(image), { flush: true });
    await rename(`${this.#description(id)}.partial`, this.#description(id));
    this.#byArtifact.set(id, image);
    return image;
  }

  #description(id: string): string {
    return join(this.#dir, 'artifacts', `${id}.json`);
  }
}

async function metadataOf(id: string, artifact: string): Promise<string> {
  try {
    await readdir(join(artifact, 'rootfs'));
    return await readFile(join(artifact, 'metadata.json'), 'utf8');
  } catch (cause) {
    const message = `the artifact ${id} has no rootfs directory and metadata.json. Is the image in rootfs format?`;
    throw new BaggageclaimError('bad-request', message, { cause });
  }
}

/** Made once, and kept with the images, so that a name stays the same as long as they do. */
async function keyOf(path: string): Promise<Buffer> {
  const partial = `${path}.partial`;
  const known = await readFile(path).catch(() => undefined);
  if (known?.length === 32) return known;
  const key = randomBytes(32);
  await writeFile(partial, key, { mode: 0o600, flush: true });
  await rename(partial, path);
  return key;
}
