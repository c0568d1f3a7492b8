import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { frameHeader } from '../../protocol/frames.ts';
import { OUTPUT_FRAME } from '../../protocol/messages.ts';
import type { Processes } from './processes.ts';

export interface OutputSource {
  readonly processes: Processes;
  /** Whether there is, or will be, anything of this process. */
  readonly isThere: (id: string, attempt: string) => boolean;
  /** Where the files are. */
  readonly dir: string;
}

export interface OutputRequest {
  readonly id: string;
  readonly attempt: string;
  readonly stdout: number;
  readonly stderr: number;
}

const CHUNK = 64 * 1024;
/** Something is said at least this often, so that a reader knows a quiet process from a dead connection. */
const ALIVE_MS = 10_000;

/**
 * The frames of a process's output from these offsets on, as they come; the last one is its exit record. It ends
 * without one when the process is not there any more.
 */
export async function* outputFrames(
  { processes, isThere, dir }: OutputSource,
  { id, attempt, ...from }: OutputRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  await using stdout = new Follower(join(dir, `${id}.stdout`), from.stdout, OUTPUT_FRAME.stdout);
  await using stderr = new Follower(join(dir, `${id}.stderr`), from.stderr, OUTPUT_FRAME.stderr);
  while (isThere(id, attempt)) {
    // In this order: what is there when the record is there is all there will ever be.
    const version = processes.version(id);
    const record = processes.record(id);
    // By turns, so that a stream that never stops does not hide the other.
    const frames = [await stdout.next(), await stderr.next()].filter((frame) => frame !== undefined);
    yield* frames;
    if (frames.length > 0) continue;
    if (record) {
      const text = Buffer.from(JSON.stringify(record));
      yield Buffer.concat([frameHeader(OUTPUT_FRAME.exit, text.length), text]);
      return;
    }
    await processes.waitForChange(id, version, ALIVE_MS, signal);
    if (processes.version(id) === version) yield frameHeader(OUTPUT_FRAME.alive, 0);
  }
}

/** A file that grows, read as far as it goes. One that is not there yet is empty. */
class Follower implements AsyncDisposable {
  readonly #path: string;
  readonly #type: number;
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK);
  #offset: number;
  #file: FileHandle | undefined;

  constructor(path: string, offset: number, type: number) {
    this.#path = path;
    this.#offset = offset;
    this.#type = type;
  }

  /** The next frame; undefined when there is nothing more now. */
  async next(): Promise<Uint8Array | undefined> {
    this.#file ??= await openIfThere(this.#path);
    if (!this.#file) return undefined;
    const { bytesRead } = await this.#file.read(this.#chunk, 0, CHUNK, this.#offset);
    if (bytesRead === 0) return undefined;
    this.#offset += bytesRead;
    return Buffer.concat([frameHeader(this.#type, bytesRead), this.#chunk.subarray(0, bytesRead)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }
}

function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
