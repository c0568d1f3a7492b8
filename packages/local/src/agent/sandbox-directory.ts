import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILD_DIRECTORY, CONTROL_DIRECTORY, directoriesBelow, type SandboxDirectories } from '@seaplane/baggageclaim';
import type { SandboxSpec } from '@seaplane/orchestrator';
import { hashOf, type Places } from '../places.ts';
import type { ImageTree } from './images.ts';

/** What a sandbox was made from, in its `spec.json`. */
export interface SavedSandbox {
  readonly spec: SandboxSpec;
  readonly image: ImageTree;
  /** The id that the kernel gave the running of this machine. */
  readonly bootId: string;
}

/** The files of one sandbox. */
export interface SandboxPlaces {
  readonly dir: string;
  readonly spec: string;
  /** A copy of its own: a privileged step could overwrite the program that it runs under. */
  readonly supervisor: string;
  /** Held by keeper and supervisor while they live. */
  readonly lock: string;
  /** The keeper's process id. */
  readonly pid: string;
  /** One line, from the keeper: how the sandbox ended. */
  readonly over: string;
  readonly log: string;
  /** A directory for each input that is shown without a copy. */
  readonly inputs: string;
  readonly control: string;
  readonly records: string;
}

export function placesOf(places: Places, handle: string): SandboxPlaces {
  return placesAt(join(places.sandboxes, hashOf(handle)));
}

export function placesAt(dir: string): SandboxPlaces {
  const file = (name: string) => join(dir, name);
  return {
    dir,
    spec: file('spec.json'),
    supervisor: file('supervisor'),
    lock: file('lock'),
    pid: file('pid'),
    over: file('over'),
    log: file('log'),
    inputs: file('inputs'),
    control: file('control'),
    records: file('control/records'),
  };
}

/** The directories of a sandbox's server, with the step's volumes where the step has them. */
export function directoriesOf({ dir }: SandboxPlaces, { mounts }: Pick<SandboxSpec, 'mounts'>): SandboxDirectories {
  const directories = directoriesBelow(dir);
  const volumes = mounts.map((path, index) => ({ path, at: join(dir, 'mounts', String(index)) }));
  return {
    ...directories,
    volumes: [{ path: BUILD_DIRECTORY, at: directories.build }, ...volumes],
    mountPoints: [CONTROL_DIRECTORY],
  };
}

/** Makes the directory of a sandbox, whole or not at all. It must not exist. */
export async function makeSandboxDirectory(places: Places, saved: SavedSandbox, supervisor: string): Promise<void> {
  const made = placesAt(join(places.incoming, crypto.randomUUID()));
  const directories = directoriesOf(made, saved.spec);
  const needed = [made.control, made.records, join(made.dir, 'upper'), join(made.dir, 'work')];
  const all = [...needed, ...directories.volumes.map(({ at }) => at)];
  await Promise.all(all.map((path) => mkdir(path, { recursive: true })));
  // Nothing waits for the disk: a machine that loses its power loses the sandbox's processes, too.
  await Promise.all([copyFile(supervisor, made.supervisor), writeFile(made.spec, JSON.stringify(saved))]);
  await rename(made.dir, placesOf(places, saved.spec.handle).dir);
}

/** Undefined if the description was not on the disk yet when the machine lost its power. */
export async function readSaved(places: Places, hash: string): Promise<SavedSandbox | undefined> {
  const path = placesAt(join(places.sandboxes, hash)).spec;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error; // the sandbox may run
  });
  try {
    return JSON.parse(text) as SavedSandbox;
  } catch {
    return undefined;
  }
}

/** Takes the directory out of sight. Its files are removed in the background. */
export async function removeSandboxDirectory(places: Places, { dir }: Pick<SandboxPlaces, 'dir'>): Promise<void> {
  const trash = join(places.incoming, crypto.randomUUID());
  await rename(dir, trash);
  removeTree(trash).catch((error: Error) => console.error(`cannot remove ${trash}: ${error.message}`));
}

/** The last processes of a sandbox may still write while the kernel ends them. */
export function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}
