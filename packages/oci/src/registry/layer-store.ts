import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, hexOf } from '../descriptor.ts';
import { SharedWork } from './shared-work.ts';

/**
 * Unpacked layers, each in a directory of its own named by its diff id. A layer is whole if its directory is there: it
 * grows below `incoming` and is renamed at the end. One process at a time uses a store.
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
    for (const name of await readdir(incoming)) await rm(join(incoming, name), { recursive: true, force: true });
    return new LayerStore(dir);
  }

  /** The directory of a layer that is whole. */
  async find(diffId: Digest): Promise<string | undefined> {
    const path = join(this.#dir, hexOf(diffId));
    return (await stat(path).catch(() => undefined)) ? path : undefined;
  }

  /** The layer's directory. `fill` is called with an empty directory if the layer is not there; once, however many ask. */
  async provide(
    diffId: Digest,
    fill: (into: string, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<string> {
    return this.#work.do(diffId, signal, async (shared) => {
      const found = await this.find(diffId);
      if (found) return found;
      const final = join(this.#dir, hexOf(diffId));
      const partial = join(this.#dir, 'incoming', randomUUID());
      try {
        await mkdir(partial);
        await chmod(partial, 0o755); // whatever the umask
        await fill(partial, shared);
        shared.throwIfAborted();
        await rename(partial, final);
        return final;
      } finally {
        await rm(partial, { recursive: true, force: true });
      }
    });
  }
}
