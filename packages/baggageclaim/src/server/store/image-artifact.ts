import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { readablePath } from '../trees/readable-path.ts';

/** The two parts of an image artifact. A link in place of one may lead within the artifact, and nowhere else. */
export async function readImageArtifact(id: string, artifact: string): Promise<{ rootfs: string; metadata: string }> {
  try {
    const [rootfs, metadata] = await Promise.all(
      ['rootfs', 'metadata.json'].map((name) => readablePath(join(artifact, name), artifact)),
    );
    if (rootfs?.kind !== 'directory' || metadata?.kind !== 'file') throw new Error('they are something else');
    return { rootfs: rootfs.path, metadata: await readFile(metadata.path, 'utf8') };
  } catch (cause) {
    const message = `the artifact ${id} has no rootfs directory and metadata.json. Is the image in rootfs format?`;
    throw new BaggageclaimError('bad-request', message, { cause });
  }
}
