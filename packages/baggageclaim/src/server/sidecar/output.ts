import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { frameHeader } from '../../protocol/frames.ts';
import { OUTPUT_FRAME } from '../../protocol/messages.ts';
import { openRegularFile } from '../trees/open-regular-file.ts';
import type { Processes } from './processes.ts';

export interface OutputSource {
  readonly processes: Processes;
  /** Whether the process exists, or is about to. */
  readonly isThere: (id: string, attempt: string) => boolean;
  /** The directory of the output files. */
  readonly dir: string;
}

export interface OutputRequest {
  readonly id: string;
  readonly attempt: string;
  readonly stdout: number;
  readonly stderr: number;
}

const CHUNK = 64 * 1024;
/** A frame is sent at least this often, so that a reader can tell a quiet process from a dead connection. */
const ALIVE_MS = 10_000;

/**
 * The frames of a process's output from these offsets on, as they are written; the last one is the exit record. The stream ends
 * without a record when the process is forgotten.
 */
export async function* outputFrames(
  { processes, isThere, dir }: OutputSource,
  { id, attempt, ...from }: OutputRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  await using stdout = new Follower(join(dir, `${id}.stdout`), from.stdout, OUTPUT_FRAME.stdout);
  await using stderr = new Follower(join(dir, `${id}.stderr`), from.stderr, OUTPUT_FRAME.stderr);
  while (isThere(id, attempt)) {
    // The record first: output that is there when the record is there is all of it.
    const version = processes.version(id);
    const record = processes.record(id);
    // By turns, so that an endless stream does not hide the other one.
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

/** Reads a file that grows. A file that does not exist yet is empty. */
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

  /** The next frame; undefined when the file has no more bytes now. */
  async next(): Promise<Uint8Array | undefined> {
    this.#file ??= await openRegularFile(this.#path);
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
