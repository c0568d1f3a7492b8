import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { findInTar, type TarFile } from './tar-file.ts';

/** A fly program, opened. The caller must read the content or end it. */
export interface FlyProgram extends TarFile {
  readonly name: 'fly' | 'fly.exe';
}

/** Opens fly for a platform, a plain file or a file of an archive. Undefined if the directory has neither. */
export async function openFly(directory: string, platform: string, arch: string): Promise<FlyProgram | undefined> {
  const name = platform === 'windows' ? 'fly.exe' : 'fly';
  const path = join(directory, `fly-${platform}-${arch}`);
  const plain = await fileAt(name === 'fly' ? path : `${path}.exe`);
  if (plain) return { name, size: plain.size, modifiedAt: plain.mtime, content: createReadStream(plain.path) };
  const archive = await fileAt(`${path}.tgz`);
  if (!archive) return undefined;
  const packed = createReadStream(archive.path);
  const unpacked = packed.pipe(createGunzip());
  packed.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => packed.destroy());
  const found = await findInTar(unpacked, name);
  if (!found) throw new Error(`there is no '${name}' in ${archive.path}`);
  return { name, ...found };
}

async function fileAt(path: string) {
  try {
    const { size, mtime } = await stat(path);
    return { path, size, mtime };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
