import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { Digest } from '../descriptor.ts';
import { DigestMeter } from '../digest-meter.ts';
import { OciError } from '../oci-error.ts';

/**
 * Unpacks the bytes of a layer, compressed or not, into a directory. Throws unless the uncompressed bytes have the diff id
 * and tar took all of them. The directory should be empty: then no link of another layer can lead a path astray.
 */
export async function unpackLayer(
  bytes: AsyncIterable<Buffer>,
  diffId: Digest,
  into: string,
  signal: AbortSignal,
): Promise<void> {
  const tar = spawn('tar', ['--extract', '--file=-', `--directory=${into}`, ...(await unpackFlags())], {
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }, // without TAR_OPTIONS of the caller
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = endOf(tar);
  try {
    await decompress(bytes, diffId, sinkOf(tar), signal);
    const { code, said } = await ended;
    if (code !== 0) throw new OciError('tar-failed', `tar could not unpack ${diffId} (${code ?? 'killed'}): ${said}`);
  } catch (error) {
    tar.kill('SIGKILL');
    await ended.catch(() => {});
    throw error;
  }
}

/** Reads the bytes of a layer, compressed or not. Throws unless the uncompressed bytes have the diff id. */
export function verifyLayer(bytes: AsyncIterable<Buffer>, diffId: Digest, signal: AbortSignal): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return decompress(bytes, diffId, nowhere, signal);
}

async function decompress(
  bytes: AsyncIterable<Buffer>,
  diffId: Digest,
  sink: Writable,
  signal: AbortSignal,
): Promise<void> {
  const { source, decompressor } = await sniffCompression(bytes);
  const meter = new DigestMeter();
  await pipeline([Readable.from(source, { objectMode: false }), ...decompressor, meter, sink], { signal });
  const { digest } = meter.result();
  if (digest !== diffId) throw new OciError('digest-mismatch', `a layer should be ${diffId} and is ${digest}`);
}

/** By the first bytes: media types of old images are not to be trusted. */
async function sniffCompression(
  bytes: AsyncIterable<Buffer>,
): Promise<{ source: AsyncIterable<Buffer>; decompressor: Duplex[] }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { source: whole(), decompressor: decompressorOf(head) };
}

function decompressorOf(head: Buffer): Duplex[] {
  if (head.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))) return [createGunzip()];
  if (head.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))) return [createZstdDecompress()];
  return [];
}

/** Takes every byte, also those after the end of the archive, at which tar stops reading. tar's exit tells whether it was well. */
function sinkOf({ stdin }: ChildProcess): Writable {
  if (!stdin) throw new OciError('tar-failed', 'tar has no input');
  stdin.on('error', () => {});
  return new Writable({
    write: (chunk, _encoding, done) => {
      if (stdin.writable) stdin.write(chunk, () => done());
      else done();
    },
    final: (done) => {
      stdin.end();
      done();
    },
  });
}

function endOf(tar: ChildProcess): Promise<{ code: number | null; said: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; said: string }>();
  let said = '';
  tar.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-2_000);
  });
  tar.on('error', (cause) => reject(new OciError('tar-failed', `cannot run tar: ${cause.message}`, { cause })));
  tar.on('close', (code) => resolve({ code, said: said.trim() }));
  promise.catch(() => {}); // awaited after the stream has ended
  return promise;
}

async function unpackFlags(): Promise<string[]> {
  const uidMap = await readFile('/proc/self/uid_map', 'utf8').catch(() => '0 0 4294967295');
  return tarFlagsIn(uidMap, process.getuid?.() === 0);
}

/**
 * Owners are kept where there are owners to keep: not for an ordinary user, and not in a user namespace with one id, where
 * everything belongs to root. No user namespace lets one make device files, and a sandbox brings its own /dev.
 */
export function tarFlagsIn(uidMap: string, isRoot: boolean): string[] {
  const ranges = uidMap
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const isHost = ranges.length === 1 && ranges[0]?.[0] === 0 && ranges[0][1] === 0 && (ranges[0][2] ?? 0) > 65_536;
  const hasOneId = ranges.length === 1 && ranges[0]?.[2] === 1;
  const flags = ['--preserve-permissions', '--numeric-owner', '--delay-directory-restore'];
  flags.push(isRoot && !hasOneId ? '--same-owner' : '--no-same-owner');
  if (isRoot && isHost) return [...flags, '--xattrs', '--xattrs-include=security.capability'];
  return [...flags, '--anchored', '--exclude=dev/*', '--exclude=./dev/*'];
}
