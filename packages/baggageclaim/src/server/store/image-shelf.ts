import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import {
  blobPath,
  type Content,
  type Digest,
  layerFromDirectory,
  openContent,
  readBlob,
  writeImage,
} from '@seaplane/oci';
import type { ImageAnswer } from '../../protocol/messages.ts';
import { measureTree } from '../trees/measure-tree.ts';
import type { SetBytes } from './accounts.ts';
import { type TreeReader, withArtifactTree } from './artifact-tree.ts';
import { readImageArtifact } from './image-artifact.ts';
import { parseRootfsMetadata } from './rootfs-metadata.ts';

/** The container runtime writes these into every container. Images leave them out, so that they change no digest. */
const WRITTEN_BY_RUNTIME = ['etc/hostname', 'etc/hosts', 'etc/resolv.conf'];

/** An image on the shelf: its name, and the blobs that may be fetched under that name. */
export interface ShelvedImage {
  readonly answer: ImageAnswer;
  /** Manifest first. */
  readonly blobs: readonly { readonly digest: Digest; readonly size: number; readonly mediaType: string }[];
}

/**
 * Images made of artifacts, below `DIR/images`.
 *
 * One file describes each image, `artifacts/ID.json`. It is written after the image's blobs and deleted before them, so an
 * image is served whole or not at all. Blobs that no description names are garbage: from a deleted image, a failed
 * attempt or a killed store. A sweep deletes them, but never while an image is being made, since that image may
 * have found blobs of its own among them; the end of making sweeps instead.
 */
export class ImageShelf {
  readonly #content: Content;
  readonly #artifacts: TreeReader;
  readonly #dir: string;
  readonly #key: Buffer;
  readonly #byArtifact = new Map<string, ShelvedImage>();
  readonly #making = new Map<string, Promise<ShelvedImage>>();
  /** Whether there may be blobs that no image has. */
  #isLittered = true;
  #swept: Promise<void> = Promise.resolve();

  private constructor(artifacts: TreeReader, dir: string, content: Content, key: Buffer) {
    this.#artifacts = artifacts;
    this.#dir = dir;
    this.#content = content;
    this.#key = key;
  }

  /** Opens the shelf and deletes what a killed store left: half an image, or one whose artifact is gone. */
  static async open(artifacts: TreeReader, dir: string): Promise<ImageShelf> {
    const descriptions = join(dir, 'images', 'artifacts');
    await mkdir(descriptions, { recursive: true });
    await rm(join(dir, 'images', 'ingest'), { recursive: true, force: true });
    const content = await openContent(join(dir, 'images'));
    const shelf = new ImageShelf(artifacts, join(dir, 'images'), content, await loadKey(join(dir, 'images', 'key')));
    for (const name of await readdir(descriptions)) {
      if (!name.endsWith('.json')) continue;
      const id = name.slice(0, -'.json'.length);
      const image = JSON.parse(await readFile(join(descriptions, name), 'utf8')) as ShelvedImage;
      if (await artifacts.store.has(id)) shelf.#byArtifact.set(id, image);
      else await rm(join(descriptions, name));
    }
    await shelf.#sweep();
    return shelf;
  }

  /**
   * Makes the image of an artifact, or returns the one that was made. The artifact must be stored. Calls `setBytes` with
   * the image's size before it is made, holes included: a layer has none.
   */
  async make(id: string, setBytes: SetBytes): Promise<ImageAnswer> {
    const made = this.#byArtifact.get(id);
    if (made) return made.answer;
    const making = this.#making.get(id) ?? this.#begin(id, setBytes);
    this.#making.set(id, making);
    return (await making).answer;
  }

  /** The image with this name; undefined when there is none. */
  find(path: string): ShelvedImage | undefined {
    return [...this.#byArtifact.values()].find(({ answer }) => answer.path === path);
  }

  /** The bytes of each image, by its artifact. */
  sizes(): ReadonlyMap<string, number> {
    const sizeOf = ({ blobs }: ShelvedImage) => blobs.reduce((sum, { size }) => sum + size, 0);
    return new Map([...this.#byArtifact].map(([id, image]) => [id, sizeOf(image)]));
  }

  blobPath(digest: Digest): string {
    return blobPath(this.#content, digest);
  }

  /** Delete the artifact first, so that no new image can be made of it. */
  async delete(id: string): Promise<void> {
    await this.#making.get(id)?.catch(() => {});
    if (!this.#byArtifact.has(id)) return;
    await rm(this.#description(id), { force: true });
    this.#byArtifact.delete(id);
    this.#isLittered = true;
    await this.#sweep();
  }

  #begin(id: string, setBytes: SetBytes): Promise<ShelvedImage> {
    return this.#swept
      .then(() => this.#make(id, setBytes))
      .catch((error) => {
        this.#isLittered = true;
        throw error;
      })
      .finally(() => {
        this.#making.delete(id);
        void this.#sweep();
      });
  }

  async #sweep(): Promise<void> {
    if (this.#making.size > 0 || !this.#isLittered) return; // the end of making sweeps
    this.#isLittered = false;
    this.#swept = this.#swept.then(() => this.#deleteBlobsOfNone()).catch((error) => console.error(error));
    await this.#swept;
  }

  async #deleteBlobsOfNone(): Promise<void> {
    const wanted = new Set([...this.#byArtifact.values()].flatMap(({ blobs }) => blobs.map(({ digest }) => digest)));
    const blobs = join(this.#dir, 'blobs', 'sha256');
    for (const name of await readdir(blobs)) {
      if (!wanted.has(`sha256:${name}`)) await rm(join(blobs, name), { force: true });
    }
  }

  #make(id: string, setBytes: SetBytes): Promise<ShelvedImage> {
    const scratch = join(this.#dir, 'ingest');
    return withArtifactTree(this.#artifacts, id, scratch, (dir) => this.#makeFrom(id, dir, setBytes));
  }

  async #makeFrom(id: string, artifact: string, setBytes: SetBytes): Promise<ShelvedImage> {
    const { rootfs, metadata } = await readImageArtifact(id, artifact);
    setBytes((await measureTree(rootfs)).apparentBytes);
    const { env, user } = parseRootfsMetadata(id, metadata);
    const options = { ownership: 'preserve', exclude: WRITTEN_BY_RUNTIME } as const;
    const layer = await layerFromDirectory(this.#content, rootfs, options);
    const manifest = await writeImage(this.#content, { layers: [layer], config: { Env: env } });
    const { stream } = await readBlob(this.#content, manifest.digest);
    const { config } = (await json(stream)) as { config: ShelvedImage['blobs'][number] };
    const path = `seaplane/${createHmac('sha256', this.#key).update(manifest.digest).digest('hex')}`;
    const blobs = [manifest, config, layer.descriptor].map(({ digest, size, mediaType }) => ({
      digest,
      size,
      mediaType,
    }));
    const image: ShelvedImage = { answer: { path, digest: manifest.digest, env, user }, blobs };
    const partial = join(this.#dir, 'ingest', crypto.randomUUID());
    await writeFile(partial, JSON.stringify(image), { flush: true });
    await rename(partial, this.#description(id));
    this.#byArtifact.set(id, image);
    return image;
  }

  #description(id: string): string {
    return join(this.#dir, 'artifacts', `${id}.json`);
  }
}

/** Makes the key once and keeps it with the images, so that they keep their names. */
async function loadKey(path: string): Promise<Buffer> {
  const partial = `${path}.partial`;
  const known = await readFile(path).catch(() => undefined);
  if (known?.length === 32) return known;
  const key = randomBytes(32);
  await writeFile(partial, key, { mode: 0o600, flush: true });
  await rename(partial, path);
  return key;
}
