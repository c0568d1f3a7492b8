import { lstat, mkdir, readlink, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { BUILD_DIRECTORY, type Volume } from '../../protocol/places.ts';
import { emptyDirectory } from '../trees/empty-directory.ts';
import { isWithin } from '../trees/is-within.ts';
import type { EmptyDirectory } from '../trees/pull.ts';
import { kindOf, notFound, type ReadablePath } from '../trees/readable-path.ts';

export interface EmptyVolumeDirectory extends EmptyDirectory {
  /** The directory's path in the sandbox, without links. Absent if something mounted there would hide what the sandbox needs. */
  readonly coverable?: string;
}

/** As the kernel has it. */
const MOST_LINKS = 40;

/**
 * The volumes with a step's files. Every path that comes in is one of the sandbox, and so is the target of every link that
 * a step or an artifact has made. None leads to a file of this server that is in no volume.
 */
export class Volumes {
  /** The longest path comes first. */
  readonly #volumes: readonly Volume[];
  readonly #mountPoints: readonly string[];

  private constructor(volumes: readonly Volume[], mountPoints: readonly string[]) {
    this.#volumes = volumes;
    this.#mountPoints = mountPoints;
  }

  static async open(volumes: readonly Volume[], mountPoints: readonly string[] = []): Promise<Volumes> {
    const longestFirst = volumes.toSorted((a, b) => b.path.length - a.path.length);
    const real = await Promise.all(longestFirst.map(async ({ path, at }) => ({ path, at: await realpath(at) })));
    return new Volumes(real, [...volumes.map(({ path }) => path), ...mountPoints]);
  }

  /**
   * Where this server has a file or directory, after all links are followed. Throws `forbidden` for a path in no volume, and
   * `not-found` if there is nothing.
   */
  async readable(path: string): Promise<ReadablePath> {
    const { at, missing } = await this.#follow(path);
    if (missing) throw notFound(path);
    return { path: at, kind: kindOf(await lstat(at)) };
  }

  /** Makes a directory and its parents if they do not exist. */
  async makeDirectory(path: string): Promise<void> {
    await this.#make(path);
  }

  /** Makes a directory, or empties it. Mount points in it remain, emptied. Returns where this server has it. */
  async emptyDirectory(path: string): Promise<EmptyVolumeDirectory> {
    const { at, found } = await this.#make(path);
    const below = this.#mountPoints.filter((point) => point !== found && isWithin(point, found));
    const mountPoints = below.map((point) => posix.join(at, posix.relative(found, point)));
    const empty = () => emptyDirectory(at, mountPoints);
    await empty();
    const hidesNothing = below.length === 0 && !isWithin(BUILD_DIRECTORY, found);
    return { path: at, empty, ...(hidesNothing ? { coverable: found } : {}) };
  }

  async #make(path: string) {
    const place = await this.#follow(path);
    if (place.missing === 'of a link') throw new Error(`there is a link in the way of ${path} that leads nowhere`);
    await mkdir(place.at, { recursive: true });
    return place;
  }

  /** Follows the links of a path as the kernel does in the sandbox, as far as there is something. */
  async #follow(path: string): Promise<{ found: string; at: string; missing?: Missing }> {
    if (!posix.isAbsolute(path)) throw new BaggageclaimError('bad-request', `${path} is not absolute`);
    let found = '/';
    let rest = partsOf(path, false);
    let links = 0;
    let missing: Missing | undefined;
    for (let [part] = rest; part; [part] = rest) {
      rest = rest.slice(1);
      const next = posix.join(found, part.name);
      const at = this.#placeOf(next);
      const link = at === undefined || missing ? undefined : await linkAt(path, at);
      if (link === 'missing') missing = part.ofLink ? 'of a link' : 'of the path';
      if (typeof link !== 'object') {
        found = next;
        continue;
      }
      if (++links > MOST_LINKS) throw new BaggageclaimError('bad-request', `${path} has too many links`);
      if (posix.isAbsolute(link.target)) found = '/';
      rest = [...partsOf(link.target, true), ...rest];
    }
    const at = this.#placeOf(found);
    if (at === undefined) throw outside(path, links > 0);
    return { found, at, ...(missing ? { missing } : {}) };
  }

  /** Undefined for a path in no volume: the rest of the file system is the server's own. */
  #placeOf(path: string): string | undefined {
    const volume = this.#volumes.find((each) => isWithin(path, each.path));
    return volume && posix.join(volume.at, posix.relative(volume.path, path));
  }
}

/** The first part that does not exist was in the path itself, or in the target of a link. */
type Missing = 'of the path' | 'of a link';

function partsOf(path: string, ofLink: boolean): { name: string; ofLink: boolean }[] {
  return path
    .split('/')
    .filter((name) => name !== '')
    .map((name) => ({ name, ofLink }));
}

async function linkAt(path: string, at: string): Promise<{ target: string } | 'missing' | undefined> {
  try {
    return { target: await readlink(at) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EINVAL') return undefined; // it is not a link
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw new BaggageclaimError('bad-request', `cannot read ${path}: ${message}`, { cause: error });
  }
}

function outside(path: string, byLink: boolean): BaggageclaimError {
  const words = byLink ? "leads out of the sandbox's volumes: a link is in its way" : 'is in no volume of this sandbox';
  return new BaggageclaimError('forbidden', `${path} ${words}`);
}
