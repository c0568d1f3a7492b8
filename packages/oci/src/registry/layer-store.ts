import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Digest, hexOf } from '../descriptor.ts';
import { SharedWork } from './shared-work.ts';

/** A layer as an image names it: by what it unpacks to, and by the bytes that it comes in. */
export interface LayerName {
  readonly diffId: Digest;
  readonly blob: Digest;
}

export interface LayerBytes {
  /** Unpacks the blob's bytes into an empty directory. Throws unless they have the diff id. */
  readonly fill: (into: string, signal: AbortSignal) => Promise<void>;
  /** Reads the blob's bytes. Throws unless they have the diff id. */
  readonly verify: (signal: AbortSignal) => Promise<void>;
}

/**
 * Unpacked layers, each in a directory of its own named by its diff id. A layer is whole if its directory is there: it
 * grows below `incoming` and is renamed at the end. One process at a time uses a store.
 *
 * Anybody can write an image's configuration that names the diff id of somebody else's layer. So a layer is given only to an
 * image that names a blob whose bytes were seen to be this layer; `blobs` has a note of each.
 */
export class LayerStore {
  readonly #dir: string;
  readonly #work = new SharedWork<string>();

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Removes what a process that was killed had begun. */
  static async open(dir: string): Promise<LayerStore> {
    const incoming = join(dir, 'incoming');
    await mkdir(incoming, { recursive: true });
    await mkdir(join(dir, 'blobs'), { recursive: true });
    for (const name of await readdir(incoming)) await rm(join(incoming, name), { recursive: true, force: true });
    return new LayerStore(dir);
  }

  /** The directory of a layer that is whole. */
  async find(diffId: Digest): Promise<string | undefined> {
    const path = join(this.#dir, hexOf(diffId));
    return (await stat(path).catch(() => undefined)) ? path : undefined;
  }

  /** The layer's directory. The bytes are asked for if the layer, or the blob, is not known; once, however many ask. */
  async provide({ diffId, blob }: LayerName, { fill, verify }: LayerBytes, signal: AbortSignal): Promise<string> {
    return this.#work.do(`${diffId} ${blob}`, signal, async (shared) => {
      const found = await this.find(diffId);
      if (found && (await this.#isKnown(blob, diffId))) return found;
      const path = found ?? (await this.#fill(diffId, fill, shared));
      if (found) await verify(shared);
      await this.#note(blob, diffId);
      return path;
    });
  }

  async #fill(diffId: Digest, fill: LayerBytes['fill'], signal: AbortSignal): Promise<string> {
    const final = join(this.#dir, hexOf(diffId));
    const partial = join(this.#dir, 'incoming', randomUUID());
    try {
      await mkdir(partial);
      await chmod(partial, 0o755); // whatever the umask
      await fill(partial, signal);
      signal.throwIfAborted();
      // Else a machine that loses its power could keep the name and lose the files.
      await promisify(execFile)('sync', ['-f', partial], { signal });
      await rename(partial, final).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error; // the same layer of another blob was first
      });
      return final;
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }

  async #isKnown(blob: Digest, diffId: Digest): Promise<boolean> {
    const noted = await readFile(this.#noteOf(blob), 'utf8').catch(() => undefined);
    return noted === diffId;
  }

  async #note(blob: Digest, diffId: Digest): Promise<void> {
    const partial = join(this.#dir, 'incoming', randomUUID());
    await writeFile(partial, diffId);
    await rename(partial, this.#noteOf(blob));
  }

  #noteOf(blob: Digest): string {
    return join(this.#dir, 'blobs', hexOf(blob));
  }
}
