import { chmod, lchown, lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';

/**
 * Lays an unpacked layer over a tree, as an overlay would: a directory joins a directory, anything else replaces what was
 * there, and `.wh.NAME` removes NAME. Links are never followed. Empties `layer`; both are on one filesystem.
 */
export async function mergeLayer(layer: string, onto: string): Promise<void> {
  const names = await readdir(layer);
  if (names.includes(OPAQUE)) for (const name of await readdir(onto)) await remove(join(onto, name));
  for (const name of names.filter((entry) => entry.startsWith(WHITEOUT) && !entry.startsWith('.wh..wh.'))) {
    await remove(join(onto, name.slice(WHITEOUT.length)));
  }
  for (const name of names.filter((entry) => !entry.startsWith(WHITEOUT))) {
    const [from, to] = [join(layer, name), join(onto, name)];
    const isDirectory = (await lstat(from)).isDirectory();
    const there = await lstat(to).catch(() => undefined);
    if (isDirectory && there?.isDirectory()) {
      await mergeLayer(from, to);
    } else if (isDirectory) {
      if (there) await remove(to);
      await mkdir(to);
      await mergeLayer(from, to); // it may hold whiteouts
    } else {
      if (there) await remove(to);
      await rename(from, to);
    }
  }
  const { mode, uid, gid, atime, mtime } = await lstat(layer);
  await lchown(onto, uid, gid).catch(() => {}); // an ordinary user keeps what it has
  await chmod(onto, mode & 0o7777);
  await utimes(onto, atime, mtime);
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}
