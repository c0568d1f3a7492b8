import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { OciError } from './oci-error.ts';

/**
 * `root`: everything belongs to 0:0, whoever built the tree.
 * `preserve`: everything belongs to the numbers on disk.
 */
export type Ownership = 'root' | 'preserve';

export interface TarOptions {
  readonly dir: string;
  readonly ownership: Ownership;
  /** Paths to take, relative to `dir`, in this order. */
  readonly members: readonly string[];
  /** Exact paths to leave out, relative to `dir`. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * These flags pin everything that could differ between two runs over the same tree. The GNU format holds names as raw
 * bytes in every locale, and no process ids or access times.
 */
const FLAGS = [
  '--create',
  '--file=-',
  '--format=gnu',
  '--sort=name',
  '--mtime=@0',
  '--numeric-owner',
  '--no-acls',
  '--no-selinux',
  '--no-xattrs',
  '--warning=no-file-ignored', // sockets: no archive can hold one
  '--exclude=.wh.*', // image unpackers read such a name as "delete the rest of it"
];

/**
 * The deterministic tar stream of a tree, made by GNU tar. It ends without an error only if tar read everything and
 * nothing changed meanwhile. Otherwise it fails with `tar-failed`, so a consumer that commits on success never commits
 * half a tree.
 */
export function tarStream({ dir, ownership, members, exclude = [], signal }: TarOptions): Readable {
  const owner = ownership === 'root' ? ['--owner=0', '--group=0'] : [];
  const without = ['--anchored', '--no-wildcards', ...exclude.map((path) => `--exclude=./${path}`)];
  const child = spawn('tar', [...FLAGS, ...without, ...owner, `--directory=${dir}`, '--', ...members], {
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }, // without TAR_OPTIONS of the caller
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-4_000);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(new OciError('tar-failed', `cannot run tar: ${cause.message}`, { cause })));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new OciError('tar-failed', `tar of ${dir} failed (${code ?? 'killed'}): ${said.trim()}`));
    });
  });
  ended.catch(() => {}); // the reader gets it at the end of the stream
  return Readable.from(
    untilExit(child.stdout, ended, () => child.kill('SIGKILL')),
    { objectMode: false },
  );
}

async function* untilExit(stdout: Readable, ended: Promise<void>, kill: () => void): AsyncGenerator<Buffer> {
  try {
    yield* stdout as AsyncIterable<Buffer>;
    await ended;
  } finally {
    kill(); // a reader that goes away ends the work; after the exit this does nothing
  }
}
