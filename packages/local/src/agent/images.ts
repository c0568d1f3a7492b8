import type { Stats } from 'node:fs';
import { lstat, mkdir, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { ImageAnswer } from '@seaplane/baggageclaim';
import {
  type ArtifactImages,
  type DirectoryStore,
  parseRootfsMetadata,
  readImageArtifact,
} from '@seaplane/baggageclaim/server';
import { offeredTypes, provideBuiltInTypes } from '@seaplane/builtin';
import { builtInTypeOf, HostError, type SandboxImage } from '@seaplane/orchestrator';
import type { Places } from '../places.ts';
import { HOST_IMAGE } from '../protocol.ts';

/** The file system of an image, as an overlay takes it. */
export interface ImageTree {
  /** The top one first. */
  readonly lowers: readonly string[];
  /** Directories and files of the machine that are shown read-only. */
  readonly binds: readonly { readonly from: string; readonly to: string }[];
  /** What the image's processes find in their environment, `NAME=value` each. */
  readonly env?: readonly string[];
  /** The artifact whose tree is a lower. It must stay while the sandbox lives. */
  readonly artifact?: string;
}

const ARTIFACT = 'artifact:';
const PULLED = 'pulled:';

/** The name of an image that was pulled before, by its digest. Only web can use it, for those who may have the image. */
export function pulledReference(digest: string): string {
  return PULLED + digest;
}

/** Images of artifacts: nothing is copied, because an overlay takes the artifact's own tree. */
export function artifactImages(store: DirectoryStore): ArtifactImages {
  return {
    async make(id): Promise<ImageAnswer> {
      const { metadata } = await readImageArtifact(id, await store.directoryOf(id));
      return { path: `${ARTIFACT}${id}`, digest: '', ...parseRootfsMetadata(id, metadata) };
    },
    async delete() {},
  };
}

export interface ImageParts {
  readonly places: Places;
  readonly store: DirectoryStore;
  readonly pull: (reference: string) => Promise<ImageTree>;
  /** An image that was pulled before. */
  readonly findPulled: (digest: string) => Promise<ImageTree>;
  /** The image of an OCI layout or archive on this machine. */
  readonly load: (path: string, info: Stats) => Promise<ImageTree>;
}

/**
 * The tree of the image that a sandbox asks for: an artifact, the machine's own programs (with a built-in resource type), a
 * directory or archive, an image that was pulled before, or an image of a registry. Only the last one can be named by a pipeline: a path would show it any file of the
 * machine.
 */
export async function resolveImage(parts: ImageParts, image: SandboxImage): Promise<ImageTree> {
  const { places, store, pull, load, findPulled } = parts;
  const { reference, fromPipeline } = image;
  if (fromPipeline) return pull(reference);
  if (reference === HOST_IMAGE) return hostImage(places);
  const type = builtInTypeOf(image);
  if (type !== undefined) return builtInImage(places, type);
  if (reference.startsWith(ARTIFACT)) {
    const artifact = reference.slice(ARTIFACT.length);
    const { rootfs } = await readImageArtifact(artifact, await store.directoryOf(artifact));
    return { lowers: [rootfs], binds: [], artifact };
  }
  if (reference.startsWith(PULLED)) return findPulled(reference.slice(PULLED.length));
  return isAbsolute(reference) ? imageAt(reference, load) : pull(reference);
}

async function imageAt(path: string, load: ImageParts['load']): Promise<ImageTree> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new HostError('image-pull', `the image ${path} is not a directory or file of this machine`);
  if (!info.isDirectory()) return load(path, info);
  const layout = await stat(join(path, 'oci-layout')).catch(() => undefined);
  if (!layout) return { lowers: [path], binds: [] };
  return load(path, await stat(join(path, 'index.json')).catch(() => layout));
}

/** The machine's own programs, and the type's program at the place where every type has it. */
async function builtInImage(places: Places, name: string): Promise<ImageTree> {
  const offered = await offeredTypes();
  const known = offered.find((type) => type === name);
  if (!known)
    throw new HostError('image-pull', `this machine has no built-in type ${name}, only ${offered.join(', ')}`);
  const directories = await provideBuiltInTypes(places.builtIn);
  const { lowers, binds } = await hostImage(places);
  return { lowers, binds: [...binds, { from: directories[known], to: '/opt/resource' }] };
}

/** Shown to every step as they are: programs, and what they need to find libraries and to trust servers. */
const SHOWN = [
  '/usr',
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/pki',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl',
];
/** Links into /usr on most machines, directories of their own on others. */
const MAYBE_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const FILES = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\ntty:x:5:\nnogroup:x:65534:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** The machine's own programs, read-only, over an almost empty tree: no home directory, no configuration, no keys. */
async function hostImage({ hostImage, incoming }: Places): Promise<ImageTree> {
  const shown = [...SHOWN];
  const links: [string, string][] = [];
  for (const path of MAYBE_LINKS) {
    const info = await lstat(path).catch(() => undefined);
    if (info?.isSymbolicLink()) links.push([path, await readlink(path)]);
    else if (info?.isDirectory()) shown.push(path);
  }
  if (!(await stat(hostImage).catch(() => undefined))) await makeHostTree(incoming, hostImage, links);
  const there = await Promise.all(shown.map(async (path) => ((await stat(path).catch(() => undefined)) ? [path] : [])));
  return { lowers: [hostImage], binds: there.flat().map((path) => ({ from: path, to: path })) };
}

async function makeHostTree(incoming: string, path: string, links: readonly [string, string][]): Promise<void> {
  const tree = join(incoming, crypto.randomUUID());
  for (const dir of ['root', 'home', 'var/tmp', 'var/lib', 'run', 'mnt', 'opt', 'srv']) {
    await mkdir(join(tree, dir), { recursive: true });
  }
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), text);
  }
  for (const [name, target] of links) await symlink(target, join(tree, name));
  await rename(tree, path).catch(async (error: NodeJS.ErrnoException) => {
    await rm(tree, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
