import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageRootfs } from '@seaplane/dev-images';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

/** Lays out the worker's base resource types in `into`: the suite needs `mock`, and but for one spec no other. */
export async function layOutResourceTypes(into: string, progress: Progress): Promise<void> {
  const directory = join(into, 'mock');
  await mkdir(directory, { recursive: true });
  const rootfs = await imageRootfs('mock', progress);
  // Fast compression: it is unpacked once, on this machine.
  const args = ['-C', rootfs, '--numeric-owner', '--owner=0', '--group=0', '-I', 'gzip -1'];
  await run('tar', [...args, '-cf', join(directory, 'rootfs.tgz'), '.']);
  const metadata = { type: 'mock', version: '1', privileged: false, unique_version_history: false };
  await writeFile(join(directory, 'resource_metadata.json'), JSON.stringify(metadata));
}
