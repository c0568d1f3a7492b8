import { mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { emptyDirectory } from '../trees/empty-directory.ts';
import { isWithin } from '../trees/is-within.ts';

/** Where a step's files are. Steps and artifacts can make links there, which are followed nowhere else. */
export class Volumes {
  readonly #build: string;
  /** The same, whatever links lead to it. */
  readonly #realBuild: string;

  private constructor(build: string, realBuild: string) {
    this.#build = build;
    this.#realBuild = realBuild;
  }

  static async open(build: string): Promise<Volumes> {
    return new Volumes(build, await realpath(build));
  }

  /** What contains a path once all links are followed. A volume elsewhere is where it is mounted, and nowhere else. */
  rootOf(path: string): string {
    return isWithin(path, this.#build) ? this.#realBuild : path;
  }

  /** Makes a directory and those it lies in, if they are not there. */
  async makeDirectory(path: string): Promise<void> {
    if (!isAbsolute(path)) throw new Error(`${path} is not absolute`);
    if (isWithin(path, this.#build) && !isWithin(await nearest(path), this.#realBuild)) {
      throw new Error(`${path} leads out of the sandbox's volumes: a link is in its way`);
    }
    await mkdir(path, { recursive: true });
  }

  /** The same, with nothing in it. It may be where a volume is mounted, and so may what lies in it: they stay. */
  async emptyDirectory(path: string): Promise<void> {
    await this.makeDirectory(path);
    await emptyDirectory(path);
  }
}

/** What there is of a path already, without links. */
async function nearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return nearest(dirname(path));
  }
}
