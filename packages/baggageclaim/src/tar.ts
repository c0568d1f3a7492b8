import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** `Content-Encoding` of tar streams, both ways; `identity` if none is named. */
export type Encoding = 'identity' | 'zstd';

/** The cheapest level that still halves most trees: the network inside a cluster is seldom the bottleneck. */
const ZSTD = '--use-compress-program=zstd -1';

/** An archive ends with two blocks of zeros. */
const END = 1024;

/** Unpacks a tar stream into `dir`; throws if it is broken, with tar's words, or if it does not end properly. */
export async function unpack(body: ReadableStream<Uint8Array>, encoding: Encoding, dir: string): Promise<void> {
  const tar = start(['--extract', '--preserve-permissions', ...(encoding === 'zstd' ? [ZSTD] : [])], dir);
  tar.stdin.on('error', () => {}); // its exit says more than "broken pipe"
  let tail: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of body) {
      tail = tailOf(tail, chunk);
      // An archive may end before its stream does: then tar is done, well or badly, and the rest is padding.
      if (!tar.stdin.writable) await tar.exit;
      else if (!tar.stdin.write(chunk)) await roomOrEnd(tar.stdin);
    }
    tar.stdin.end();
    await tar.exit;
    // zstd knows its own end; tar takes the end of its input for the end of the archive, wherever that is.
    if (encoding === 'identity' && (tail.length < END || tail.some((byte) => byte !== 0))) {
      throw new Error('the archive is cut short');
    }
  } catch (error) {
    tar.kill();
    await tar.exit.catch(() => {});
    throw error;
  }
}

/** The last bytes of a stream, which in an archive are zeros. */
function tailOf(before: Uint8Array, chunk: Uint8Array): Uint8Array {
  if (chunk.length >= END) return chunk.subarray(-END);
  return Buffer.concat([before, chunk]).subarray(-END);
}

function roomOrEnd(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

/** Packs `member` of `dir` while it is read. It fails, rather than ends, if tar does; a reader that leaves ends tar. */
export function pack(dir: string, member: string, encoding: Encoding): ReadableStream<Uint8Array> {
  const tar = start(['--create', ...(encoding === 'zstd' ? [ZSTD] : []), '--', member], dir);
  const chunks = tar.stdout[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (!next.done) return controller.enqueue(next.value);
      await tar.exit;
      controller.close();
    },
    cancel: () => tar.kill(),
  });
}

function start(args: readonly string[], dir: string) {
  const child = spawn('tar', ['--numeric-owner', '--file=-', `--directory=${dir}`, ...args], {
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-2_000);
  });
  const exit = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar failed: ${said.trim() || code}`))));
  });
  exit.catch(() => {}); // seen by whoever awaits it
  return { stdin: child.stdin, stdout: child.stdout, exit, kill: () => void child.kill('SIGKILL') };
}
