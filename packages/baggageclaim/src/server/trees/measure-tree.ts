import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

export interface TreeSize {
  /** The bytes that the tree has on its disk. Holes have none. */
  readonly diskBytes: number;
  /** The bytes that its files have for a reader, holes included. */
  readonly apparentBytes: number;
}

const BLOCK = 512;
/** Other requests get their turn after this many files. */
const BATCH = 500;

/** Measures a tree that nobody changes meanwhile. A file with several names counts once. Follows no links. */
export async function measureTree(root: string): Promise<TreeSize> {
  const seen = new Set<number>();
  let [diskBytes, apparentBytes, files] = [0, 0, 0];
  const directories = [root];
  for (let dir = directories.pop(); dir !== undefined; dir = directories.pop()) {
    for (const name of await readdir(dir)) {
      const path = join(dir, name);
      const stats = lstatSync(path); // a tenth of the time of a promise, and the tree was just written
      if (stats.isDirectory()) directories.push(path);
      else if (stats.nlink > 1) {
        if (seen.has(stats.ino)) continue;
        seen.add(stats.ino);
      }
      diskBytes += stats.blocks * BLOCK;
      apparentBytes += stats.size;
      if (++files % BATCH === 0) await setImmediate();
    }
  }
  return { diskBytes, apparentBytes };
}
