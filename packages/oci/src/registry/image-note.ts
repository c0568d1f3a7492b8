import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Digest } from '../descriptor.ts';
import type { ContainerConfig } from '../image.ts';
import type { Credentials } from './registry-client.ts';

/** An image that is whole on this machine. */
export interface ImageNote {
  readonly config: ContainerConfig;
  readonly diffIds: readonly Digest[];
  /** Hashes of the repositories, with the passwords, that have shown the image. */
  readonly proven?: readonly string[];
  readonly salt?: string;
}

/** By which repository, and as whom, somebody asks for an image. */
export type ImageAccess = readonly [registry: string, name: string, credentials: Credentials | undefined];

/** Undefined: the image is not here. */
export async function readNote(path: string): Promise<ImageNote | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as ImageNote);
}

/** Writes the note, with one more access that has shown the image. */
export async function writeNote(path: string, note: ImageNote, access: ImageAccess): Promise<void> {
  const { salt = randomUUID(), proven = [] } = note;
  const partial = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(partial, JSON.stringify({ ...note, salt, proven: [...proven, hashOf(salt, access)] }));
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

export function hasProof({ proven = [], salt = '' }: ImageNote, access: ImageAccess): boolean {
  return proven.includes(hashOf(salt, access));
}

function hashOf(salt: string, [registry, name, credentials]: ImageAccess): string {
  const { username, password } = credentials ?? {};
  return createHash('sha256')
    .update(JSON.stringify([salt, registry, name, username, password]))
    .digest('hex');
}
