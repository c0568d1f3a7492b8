import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pack, unpack } from './tar.ts';
import { VolumeError } from './volume-error.ts';
import type { Encoding } from './volume-routes.ts';

/** Volumes are directories below `root`. What is still arriving is in `root/.incoming`, where no name reaches. */
export interface Volumes {
  readonly root: string;
}

export async function openVolumes(root: string): Promise<Volumes> {
  await mkdir(root, { recursive: true });
  await rm(incomingOf(root), { recursive: true, force: true }); // of a server that was killed
  await mkdir(incomingOf(root));
  return { root: await realpath(root) };
}

/** Makes a volume of a tar stream. It appears whole or not at all, and never replaces one that is there. */
export async function putVolume(
  { root }: Volumes,
  name: string,
  body: ReadableStream<Uint8Array>,
  encoding: Encoding,
): Promise<void> {
  const final = volumePath(root, name);
  const incoming = join(incomingOf(root), randomUUID());
  try {
    if (await exists(final)) throw new VolumeError('already-exists', `there is a volume ${name} already`);
    await mkdir(incoming);
    await unpack(body, encoding, incoming).catch((cause: Error) => {
      throw new VolumeError('bad-archive', cause.message, { cause });
    });
    // Of two that arrive at once the first stays: a directory is never renamed over one that holds something.
    await rename(incoming, final).catch((cause: Error) => {
      throw new VolumeError('already-exists', `there is a volume ${name} already`, { cause });
    });
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/** A tar stream of what is at `path` in the volume: a directory's content, or one file. */
export async function getVolume(
  { root }: Volumes,
  name: string,
  path: string,
  encoding: Encoding,
): Promise<ReadableStream<Uint8Array>> {
  const volume = volumePath(root, name);
  const target = await realpath(join(volume, path)).catch((cause: Error) => {
    throw new VolumeError('not-found', `nothing at ${JSON.stringify(path)} in the volume ${name}`, { cause });
  });
  // Checked after links are followed: neither `..` nor a link in the volume leads out of it.
  const inside = relative(volume, target);
  if (inside === '..' || inside.startsWith('../')) {
    throw new VolumeError('bad-path', `${JSON.stringify(path)} leads out of the volume ${name}`);
  }
  if ((await stat(target)).isDirectory()) return pack(target, '.', encoding);
  return pack(dirname(target), basename(target), encoding);
}

function volumePath(root: string, name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(name)) {
    throw new VolumeError('bad-name', `not a volume name: ${JSON.stringify(name.slice(0, 200))}`);
  }
  return join(root, name);
}

function incomingOf(root: string): string {
  return join(root, '.incoming');
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
