import { mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { emptyDirectory } from '../trees/empty-directory.ts';
import { isWithin } from '../trees/is-within.ts';

/** The volumes with a step's files. Steps and artifacts can make links there; none is followed out of them. */
export class Volumes {
  readonly #build: string;
  /** The same path without links. */
  readonly #realBuild: string;
  /** Volumes outside of the build directory: each path, and the same path without links. The longest path comes first. */
  readonly #mounts: readonly (readonly [path: string, real: string])[];

  private constructor(build: string, realBuild: string, mounts: readonly (readonly [string, string])[]) {
    this.#build = build;
    this.#realBuild = realBuild;
    this.#mounts = mounts;
  }

  static async open(build: string, mounts: readonly string[] = []): Promise<Volumes> {
    const longestFirst = mounts.toSorted((a, b) => b.length - a.length);
    const real = await Promise.all(longestFirst.map(async (path) => [path, await realpath(path)] as const));
    return new Volumes(build, await realpath(build), real);
  }

  /**
   * The volume that must contain a path after its links are followed. Throws `forbidden` for a path in no volume: the rest of
   * the file system is the sidecar's own.
   */
  rootOf(path: string): string {
    if (isWithin(path, this.#build)) return this.#realBuild;
    const mount = this.#mounts.find(([mountPath]) => isWithin(path, mountPath));
    if (!mount) throw new BaggageclaimError('forbidden', `${path} is in no volume of this sandbox`);
    return mount[1];
  }

  /** Makes a directory and its parents if they do not exist. */
  async makeDirectory(path: string): Promise<void> {
    if (!isAbsolute(path)) throw new Error(`${path} is not absolute`);
    if (isWithin(path, this.#build) && !isWithin(await nearest(path), this.#realBuild)) {
      throw new Error(`${path} leads out of the sandbox's volumes: a link is in its way`);
    }
    await mkdir(path, { recursive: true });
  }

  /** Makes a directory, or empties it. Mount points in it remain, emptied. */
  async emptyDirectory(path: string): Promise<void> {
    await this.makeDirectory(path);
    await emptyDirectory(path);
  }
}

/** The longest part of a path that exists, without links. */
async function nearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return nearest(dirname(path));
  }
}
