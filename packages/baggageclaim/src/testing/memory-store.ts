import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import type { Runtime } from '../server/runtime/runtime.ts';
import {
  type ArtifactStore,
  artifactNotFound,
  notAnArchive,
  requireArtifactId,
} from '../server/store/artifact-store.ts';
import { withArtifactTree } from '../server/store/artifact-tree.ts';
import { measureTree, type TreeSize } from '../server/trees/measure-tree.ts';
import { readSmallFile } from '../server/trees/read-small-file.ts';
import { readablePath } from '../server/trees/readable-path.ts';
import { unpack } from '../server/trees/tar.ts';
import { streamOf } from './tars.ts';

/** A store that has no directories, as a bucket has none: each artifact is the bytes of its archive, in memory. */
export class MemoryStore implements ArtifactStore {
  readonly #runtime: Runtime;
  readonly #archives = new Map<string, Buffer<ArrayBuffer>>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  async put(id: string, tar: ReadableStream<Uint8Array>, accept?: (size: TreeSize) => void): Promise<void> {
    if (await this.has(id)) return;
    const scratch = await mkdtemp(join(tmpdir(), 'memory-store-'));
    try {
      const bytes = Buffer.from(await new Response(tar).arrayBuffer());
      // Refuses what is not a whole archive.
      await unpack(this.#runtime, streamOf(bytes), scratch).catch((cause: Error) => {
        throw notAnArchive(id, cause);
      });
      accept?.(await measureTree(scratch));
      if (!this.#archives.has(id)) this.#archives.set(id, bytes);
    } finally {
      await rm(scratch, { recursive: true });
    }
  }

  async get(id: string): Promise<ReadableStream<Uint8Array>> {
    requireArtifactId(id);
    const bytes = this.#archives.get(id);
    if (!bytes) throw artifactNotFound(id);
    return streamOf(bytes);
  }

  async getFile(id: string, path: string): Promise<Uint8Array> {
    const scratch = await realpath(tmpdir());
    return withArtifactTree({ store: this, runtime: this.#runtime }, id, scratch, async (root) =>
      readSmallFile(await readablePath(posix.join(root, posix.resolve('/', path)), root)),
    );
  }

  async has(id: string): Promise<boolean> {
    requireArtifactId(id);
    return this.#archives.has(id);
  }

  async list(): Promise<string[]> {
    return [...this.#archives.keys()].sort();
  }

  async delete(id: string): Promise<void> {
    requireArtifactId(id);
    this.#archives.delete(id);
  }

  async usage() {
    return { artifacts: this.#archives.size, freeBytes: undefined };
  }
}
