import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OciError } from './oci-error.ts';

/** The files of an OCI layout, by their names in it. */
export interface LayoutFiles {
  /** A document. Throws `bad-document` if it is not there, or is larger than documents are. */
  read(name: string): Promise<Buffer>;
  stream(name: string, signal: AbortSignal): AsyncIterable<Buffer>;
}

const DOCUMENT_LIMIT = 16 * 1024 * 1024;
const LISTING_LIMIT = 64 * 1024 * 1024;

/** Opens a layout's directory, or its archive. Throws `bad-document` if it is neither. */
export async function openLayoutFiles(path: string, signal: AbortSignal): Promise<LayoutFiles> {
  const info = await stat(path).catch((cause: Error) => {
    throw new OciError('bad-document', `${path} can't be read: ${cause.message}`, { cause });
  });
  const stream = info.isDirectory() ? streamOfDirectory(path) : await streamOfArchive(path, signal);
  const read = async (name: string) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream(name, signal)) {
      size += chunk.length;
      if (size > DOCUMENT_LIMIT) throw new OciError('bad-document', `${name} of ${path} is too large for a document`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  return { read, stream };
}

type Stream = LayoutFiles['stream'];

function streamOfDirectory(path: string): Stream {
  return async function* (name, signal) {
    try {
      yield* createReadStream(join(path, name), { signal }) as AsyncIterable<Buffer>;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
      throw new OciError('bad-document', `${path} has no ${name}: it is not an OCI layout`, { cause });
    }
  };
}

async function streamOfArchive(path: string, signal: AbortSignal): Promise<Stream> {
  const listed = promisify(execFile)('tar', ['--list', `--file=${path}`], {
    env: tarEnvironment(),
    signal,
    maxBuffer: LISTING_LIMIT,
  });
  const { stdout } = await listed.catch((cause: Error) => {
    signal.throwIfAborted();
    throw new OciError('bad-document', `${path} is not an archive: ${cause.message}`, { cause });
  });
  // Some programs write `./index.json`.
  const members = new Map(stdout.split('\n').map((member) => [member.replace(/^(\.\/)+/, ''), member]));
  return (name, stop) => {
    const member = members.get(name);
    if (member === undefined) throw new OciError('bad-document', `${path} has no ${name}: it is not an OCI archive`);
    return streamOfMember(path, member, stop);
  };
}

async function* streamOfMember(path: string, member: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const args = ['--extract', '--to-stdout', '--no-wildcards', '--occurrence=1', `--file=${path}`, '--', member];
  const tar = spawn('tar', args, { env: tarEnvironment(), signal, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(tar, 'close');
  ended.catch(() => {}); // awaited after the bytes
  try {
    yield* tar.stdout as AsyncIterable<Buffer>;
    const [code] = await ended;
    if (code !== 0) throw new OciError('tar-failed', `tar could not read ${member} of ${path} (${code ?? 'killed'})`);
  } finally {
    tar.kill('SIGKILL'); // a reader that goes away ends the work
  }
}

/** Without TAR_OPTIONS of the caller. */
function tarEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
}
