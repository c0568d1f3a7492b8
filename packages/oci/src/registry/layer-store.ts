import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
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

export interface CollectionRule {
  /** Whether the layer in this directory must stay, whenever it was asked for. */
  readonly isNeeded: (directory: string) => boolean;
  /** Whether a layer goes that nobody has asked for for so long. The first one that stays ends the collection. */
  readonly isDue: (unusedMs: number) => Promise<boolean>;
}

const LAYER = /^[0-9a-f]{64}$/;

/**
 * Unpacked layers, each in a directory of its own named by its diff id. A layer is whole if its directory is there: it
 * grows below `incoming` and is renamed at the end. A file below `used` has the time when a layer was last asked for. One process at a time
 * uses a store.
 *
 * Anybody can write an image's configuration that names the diff id of somebody else's layer. So a layer is given only to an
 * image that names a blob whose bytes were seen to be this layer; `blobs` has a note of each.
 */
export class LayerStore {
  readonly #dir: string;
  readonly #work = new SharedWork<string>();
  /** Layers that were asked for since the last collection began. That collection leaves them. */
  readonly #asked = new Set<string>();
  #removal: Promise<void> = Promise.resolve();

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Removes what a process that was killed had begun. */
  static async open(dir: string): Promise<LayerStore> {
    const incoming = join(dir, 'incoming');
    await mkdir(incoming, { recursive: true });
    for (const name of ['blobs', 'used']) await mkdir(join(dir, name), { recursive: true });
    for (const name of await readdir(incoming)) await rm(join(incoming, name), { recursive: true, force: true });
    return new LayerStore(dir);
  }

  /** The directory of a layer that is whole. It stays until nobody has asked for it for a while. */
  async find(diffId: Digest): Promise<string | undefined> {
    const hex = hexOf(diffId);
    this.#asked.add(hex);
    await this.#removal;
    const path = join(this.#dir, hex);
    if (!(await stat(path).catch(() => undefined))) return undefined;
    await this.#noteUse(hex);
    return path;
  }

  /** Whether all these directories, which the store gave before, are still there. */
  async haveAll(directories: readonly string[]): Promise<boolean> {
    const found = await Promise.all(directories.map((path) => this.find(`sha256:${basename(path)}`)));
    return found.every((path) => path !== undefined);
  }

  /** Removes layers, the one that was asked for longest ago first. Not to be called while an image is being pulled. */
  async collect({ isNeeded, isDue }: CollectionRule, now: number): Promise<void> {
    this.#asked.clear();
    const names = (await readdir(this.#dir)).filter((name) => LAYER.test(name));
    const layers = await Promise.all(names.map(async (hex) => ({ hex, usedAt: await this.#usedAt(hex, now) })));
    for (const { hex, usedAt } of layers.sort((a, b) => a.usedAt - b.usedAt)) {
      if (isNeeded(join(this.#dir, hex))) continue;
      if (!(await isDue(now - usedAt))) return;
      await this.#remove(hex);
    }
  }

  async #remove(hex: string): Promise<void> {
    if (this.#asked.has(hex)) return;
    const trash = join(this.#dir, 'incoming', randomUUID());
    const hidden = this.#hide(hex, trash);
    this.#removal = hidden.catch(() => {}); // whoever asks for the layer now waits, and does not find it
    await hidden;
    await rm(trash, { recursive: true, force: true, maxRetries: 5 });
  }

  async #hide(hex: string, trash: string): Promise<void> {
    await rename(join(this.#dir, hex), trash);
    await rm(join(this.#dir, 'used', hex), { force: true });
    const blobs = join(this.#dir, 'blobs');
    for (const blob of await readdir(blobs)) {
      const noted = await readFile(join(blobs, blob), 'utf8').catch(() => '');
      if (noted === `sha256:${hex}`) await rm(join(blobs, blob), { force: true });
    }
  }

  /** A layer of an earlier version of this program has no note yet. */
  async #usedAt(hex: string, now: number): Promise<number> {
    const info = await stat(join(this.#dir, 'used', hex)).catch(() => undefined);
    if (!info) await this.#noteUse(hex);
    return info?.mtimeMs ?? now;
  }

  async #noteUse(hex: string): Promise<void> {
    await writeFile(join(this.#dir, 'used', hex), '\n');
  }

  /** The layer's directory. The bytes are asked for if the layer, or the blob, is not known; once, however many ask. */
  async provide({ diffId, blob }: LayerName, { fill, verify }: LayerBytes, signal: AbortSignal): Promise<string> {
    return this.#work.do(`${diffId} ${blob}`, signal, async (shared) => {
      const found = await this.find(diffId);
      if (found && (await this.#isKnown(blob, diffId))) return found;
      const path = found ?? (await this.#fill(diffId, fill, shared));
      if (found) await verify(shared);
      await this.#noteUse(hexOf(diffId));
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
