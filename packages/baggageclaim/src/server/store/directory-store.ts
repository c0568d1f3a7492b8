import { mkdir, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Runtime } from '../runtime/runtime.ts';
import { measureTree, type TreeSize } from '../trees/measure-tree.ts';
import { readSmallFile } from '../trees/read-small-file.ts';
import { readablePath } from '../trees/readable-path.ts';
import { pack, unpack } from '../trees/tar.ts';
import {
  type ArtifactStore,
  artifactNotFound,
  notAnArchive,
  requireArtifactId,
  type StoreUsage,
} from './artifact-store.ts';

/** Where a deleted artifact is moved, on the same file system, because something still uses its tree; else undefined. */
export type PlaceAfter = (id: string) => string | undefined;

/**
 * Artifacts in a directory of this machine.
 *
 * `DIR/artifacts/ID` is a stored artifact. `DIR/incoming/UUID` is one of two: a tree that is still being unpacked, on its
 * way to `artifacts`, or a deleted one that is still being removed. No id reaches into `incoming`, and one rename moves
 * a tree between the two, so that an artifact is there whole or not at all. A server that was killed leaves trees in
 * `incoming`; the next one removes them when it opens the store.
 */
export class DirectoryStore implements ArtifactStore {
  readonly #runtime: Runtime;
  readonly #dir: string;
  readonly #placeAfter: PlaceAfter;

  private constructor(runtime: Runtime, dir: string, placeAfter: PlaceAfter) {
    this.#runtime = runtime;
    this.#dir = dir;
    this.#placeAfter = placeAfter;
  }

  static async open(runtime: Runtime, dir: string, placeAfter: PlaceAfter = () => undefined): Promise<DirectoryStore> {
    await rm(join(dir, 'incoming'), { recursive: true, force: true });
    await mkdir(join(dir, 'incoming'), { recursive: true });
    await mkdir(join(dir, 'artifacts'), { recursive: true });
    return new DirectoryStore(runtime, await realpath(dir), placeAfter);
  }

  async put(id: string, tar: ReadableStream<Uint8Array>, accept?: (size: TreeSize) => void): Promise<void> {
    if (await this.has(id)) return;
    const incoming = join(this.#dir, 'incoming', crypto.randomUUID());
    try {
      await mkdir(incoming);
      await unpack(this.#runtime, tar, incoming).catch((cause: Error) => {
        throw notAnArchive(id, cause);
      });
      accept?.(await measureTree(incoming));
      await rename(incoming, this.#path(id)).catch(async (error) => {
        if (!(await this.has(id))) throw error; // else another put was first
      });
    } finally {
      await rm(incoming, { recursive: true, force: true });
    }
  }

  async get(id: string): Promise<ReadableStream<Uint8Array>> {
    return pack(this.#runtime, await this.directoryOf(id));
  }

  async getFile(id: string, path: string): Promise<Uint8Array> {
    const root = await this.directoryOf(id);
    return readSmallFile(await readablePath(posix.join(root, posix.resolve('/', path)), root));
  }

  async has(id: string): Promise<boolean> {
    return stat(this.#path(id)).then(
      () => true,
      () => false,
    );
  }

  async list(): Promise<string[]> {
    return (await readdir(join(this.#dir, 'artifacts'))).sort();
  }

  async delete(id: string): Promise<void> {
    const place = this.#placeAfter(id);
    const trash = place ?? join(this.#dir, 'incoming', crypto.randomUUID());
    try {
      await rename(this.#path(id), trash);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    if (!place) await rm(trash, { recursive: true, force: true });
  }

  async usage(): Promise<StoreUsage> {
    const { bavail, bsize } = await statfs(this.#dir);
    return { artifacts: (await this.list()).length, freeBytes: bavail * bsize };
  }

  async directoryOf(id: string): Promise<string> {
    if (await this.has(id)) return this.#path(id);
    throw artifactNotFound(id);
  }

  #path(id: string): string {
    requireArtifactId(id);
    return join(this.#dir, 'artifacts', id);
  }
}
