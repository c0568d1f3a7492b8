import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** tar ends with it if a file changed while it was read. The directory is the user's, who may work in it. */
const CHANGED = 1;

/** A directory as a tar stream. Everything belongs to root, as which most steps run. */
export function packDirectory(directory: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  const args = ['--create', '--file=-', '--owner=0', '--group=0', '--numeric-owner', `--directory=${directory}`, '.'];
  const child = spawnTar(args, ['ignore', 'pipe', 'pipe'], signal);
  const ended = exit(child, [0, CHANGED]);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield* child.stdout as Readable;
    await ended;
  }
  return Readable.toWeb(Readable.from(bytes(), { objectMode: false })) as ReadableStream<Uint8Array>;
}

/** Unpacks a tar stream into a directory, which is made if need be. All files belong to the user who runs this. */
export async function unpackInto(
  directory: string,
  tar: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const args = ['--extract', '--file=-', '--no-same-owner', `--directory=${directory}`];
  const child = spawnTar(args, ['pipe', 'ignore', 'pipe'], signal);
  const ended = exit(child, [0]);
  const written = pipeline(
    Readable.fromWeb(tar as Parameters<typeof Readable.fromWeb>[0]),
    child.stdin as NodeJS.WritableStream,
  );
  written.catch(() => {}); // tar's own words, if it has any, say more
  await ended;
  await written;
}

type Stdio = 'ignore' | 'pipe';

function spawnTar(args: readonly string[], stdio: readonly [Stdio, Stdio, 'pipe'], signal: AbortSignal) {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }; // without TAR_OPTIONS of the caller
  return spawn('tar', args, { env, stdio: [...stdio], signal });
}

function exit(child: ReturnType<typeof spawnTar>, good: readonly number[]): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-2_000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {}); // awaited later
  child.on('error', (cause) => reject(new Error(`cannot run tar: ${cause.message}`, { cause })));
  child.on('close', (code) => {
    if (code !== null && good.includes(code)) resolve();
    else reject(new Error(`tar failed (${code ?? 'killed'}): ${said.trim()}`));
  });
  return promise;
}
