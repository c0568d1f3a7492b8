import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../runtime/runtime.ts';
import { unpack } from '../trees/tar.ts';
import type { ArtifactStore } from './artifact-store.ts';

export interface TreeReader {
  readonly store: ArtifactStore;
  readonly runtime: Runtime;
}

/**
 * Calls `read` with a directory that holds an artifact's tree: the store's own when it has one, else a copy below
 * `scratch`, which is removed when `read` has ended. `read` must not change the tree. The path holds no links.
 */
export async function withArtifactTree<T>(
  { store, runtime }: TreeReader,
  id: string,
  scratch: string,
  read: (dir: string) => Promise<T>,
): Promise<T> {
  if (store.directoryOf) return read(await store.directoryOf(id));
  const tar = await store.get(id);
  const dir = await realpath(await mkdtemp(join(scratch, 'tree-')));
  try {
    await unpack(runtime, tar, dir);
    return await read(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
