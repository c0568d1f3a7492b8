import { mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { emptyDirectory } from '../trees/empty-directory.ts';
import { isWithin } from '../trees/is-within.ts';

/** The volumes with a step's files. Steps and artifacts can make links there; none is followed out of them. */
export class Volumes {
  readonly #build: string;
  /** The same path without links. */
  readonly #realBuild: string;

  private constructor(build: string, realBuild: string) {
    this.#build = build;
    this.#realBuild = realBuild;
  }

  static async open(build: string): Promise<Volumes> {
    return new Volumes(build, await realpath(build));
  }

  /** The directory that must contain a path after its links are followed: the build volume, or the path itself elsewhere. */
  rootOf(path: string): string {
    return isWithin(path, this.#build) ? this.#realBuild : path;
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
