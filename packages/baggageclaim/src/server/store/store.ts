import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';

/**
 * Artifacts that outlive their sandboxes: directories below `DIR/artifacts`. What still arrives is in `DIR/incoming`,
 * where no id reaches, so an artifact is there whole or not at all, and never changes.
 */
export class Store {
  readonly #dir: string;
  /** What is arriving now, by id: asked for twice, it comes once. */
  readonly #arriving = new Map<string, Promise<void>>();

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async open(dir: string): Promise<Store> {
    await rm(join(dir, 'incoming'), { recursive: true, force: true }); // of a server that was killed
    await mkdir(join(dir, 'incoming'), { recursive: true });
    await mkdir(join(dir, 'artifacts'), { recursive: true });
    return new Store(await realpath(dir));
  }

  /** Where it is, or would be. Throws `bad-request` for what can be no id. */
  path(id: string): string {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,249}$/.test(id)) {
      throw new BaggageclaimError('bad-request', `not an artifact's id: ${JSON.stringify(id.slice(0, 250))}`);
    }
    return join(this.#dir, 'artifacts', id);
  }

  async has(id: string): Promise<boolean> {
    return exists(this.path(id));
  }

  /** Throws `not-found`. */
  async find(id: string): Promise<string> {
    if (await this.has(id)) return this.path(id);
    throw new BaggageclaimError('not-found', `the store has no artifact ${id}`);
  }

  async list(): Promise<string[]> {
    return (await readdir(join(this.#dir, 'artifacts'))).sort();
  }

  /** Keeps what `fill` puts into an empty directory, unless it is here already. */
  async add(id: string, fill: (into: string) => Promise<void>): Promise<void> {
    const arriving = this.#arriving.get(id) ?? this.#receive(id, fill).finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return arriving;
  }

  async delete(id: string): Promise<void> {
    const trash = join(this.#dir, 'incoming', crypto.randomUUID());
    try {
      await rename(this.path(id), trash);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    await rm(trash, { recursive: true, force: true });
  }

  async #receive(id: string, fill: (into: string) => Promise<void>): Promise<void> {
    const final = this.path(id);
    if (await exists(final)) return;
    const incoming = join(this.#dir, 'incoming', crypto.randomUUID());
    try {
      await mkdir(incoming);
      await fill(incoming);
      await rename(incoming, final);
    } finally {
      await rm(incoming, { recursive: true, force: true });
    }
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
