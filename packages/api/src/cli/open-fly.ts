import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { listFly } from './fly-files.ts';
import { findInTar, type TarFile } from './tar-file.ts';
import { findInZip } from './zip-file.ts';

/** A fly program, opened. The caller must read the content or end it. */
export interface FlyProgram extends TarFile {
  readonly name: 'fly' | 'fly.exe';
}

/** Opens fly for a platform, a plain file or a file of an archive. Undefined if the directory has neither. */
export async function openFly(directory: string, platform: string, arch: string): Promise<FlyProgram | undefined> {
  const name = platform === 'windows' ? 'fly.exe' : 'fly';
  const file = (await listFly(directory)).find((each) => each.platform === platform && each.arch === arch);
  if (!file) return undefined;
  const path = join(directory, file.name);
  if (file.packing === 'plain') {
    const { size, mtime } = await stat(path);
    return { name, size, modifiedAt: mtime, content: createReadStream(path) };
  }
  const found = await (file.packing === 'zip' ? findInZip(path, name) : findInArchive(path, name));
  if (!found) throw new Error(`there is no '${name}' in ${path}`);
  return { name, ...found };
}

async function findInArchive(path: string, name: string): Promise<TarFile | undefined> {
  const packed = createReadStream(path);
  const unpacked = packed.pipe(createGunzip());
  packed.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => packed.destroy());
  return findInTar(unpacked, name);
}
