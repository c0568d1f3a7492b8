import { mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeWhole } from '@seaplane/dev-toolchain/write-whole.ts';
import { MOUNT_POINTS_MADE } from '../layout.ts';

/** Fixed paths that Kubernetes, containerd and CNI write to: each cluster sees an empty file system of its own there. */
export const PRIVATE_DIRECTORIES = ['/run/containerd', '/var/lib/cni', '/var/lib/kubelet', '/var/log/containers'];

/** Makes the mount points that the machine does not have, and remembers which. */
export async function makeMountPoints(): Promise<void> {
  const made = await readMade();
  for (const directory of PRIVATE_DIRECTORIES) {
    if (await mkdir(directory, { recursive: true })) made.add(directory);
  }
  await mkdir(dirname(MOUNT_POINTS_MADE), { recursive: true });
  await writeWhole(MOUNT_POINTS_MADE, JSON.stringify([...made]));
}

/**
 * Removes the mount points that were made. Only when no cluster is left: removing a directory also takes away what is
 * mounted on it in another namespace.
 */
export async function removeMountPoints(): Promise<void> {
  for (const directory of await readMade()) await rmdir(directory).catch(() => {});
  await rm(MOUNT_POINTS_MADE, { force: true });
}

async function readMade(): Promise<Set<string>> {
  return new Set(JSON.parse(await readFile(MOUNT_POINTS_MADE, 'utf8').catch(() => '[]')) as string[]);
}
