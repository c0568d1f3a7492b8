import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import {
  canonicalJson,
  layerFromDirectory,
  openContent,
  writeImage,
  writeLayout,
  writeLayoutArchive,
} from '@seaplane/oci';
import { codeInputs } from './code-inputs.ts';
import { type ImageName, imageRef } from './image-names.ts';
import type { Prepared } from './recipe.ts';
import { RECIPES } from './recipes/index.ts';

export interface BuiltImage {
  readonly name: ImageName;
  readonly ref: string;
  /** The manifest's digest. */
  readonly digest: string;
  /** An OCI layout in one file, for `ctr images import`. */
  readonly archive: string;
  /** The size of the archive. */
  readonly bytes: number;
}

/** Builds what is not in the cache yet. The same inputs give the same digests, on any machine with the same packages. */
export async function buildImages(names: readonly ImageName[], progress: Progress): Promise<BuiltImage[]> {
  const built: BuiltImage[] = [];
  for (const name of names) built.push(await describe(name, await buildImage(name, progress)));
  return built;
}

/** The root file system of an image, in the cache: copy it, never change it. */
export async function imageRootfs(name: ImageName, progress: Progress): Promise<string> {
  return join(await buildImage(name, progress), 'rootfs');
}

async function describe(name: ImageName, dir: string): Promise<BuiltImage> {
  const archive = join(dir, 'image.tar');
  const digest = await readFile(join(dir, 'digest'), 'utf8');
  return { name, ref: imageRef(name), digest, archive, bytes: (await stat(archive)).size };
}

/** Returns a directory with `rootfs/`, `image.tar` and `digest`. */
async function buildImage(name: ImageName, progress: Progress): Promise<string> {
  const prepared = await RECIPES[name].prepare(progress);
  const code = [...(await codeInputs('packages/oci/src')), ...(await codeInputs('dev/images/src'))];
  return buildOnce({
    name: `images/${name}`,
    inputs: [process.arch, canonicalJson(prepared.config), ...code, ...prepared.inputs],
    progress,
    build: (into) => build(name, prepared, into),
  });
}

async function build(name: ImageName, { config, fill }: Prepared, into: string): Promise<void> {
  const rootfs = join(into, 'rootfs');
  const scratch = join(into, 'scratch');
  await mkdir(rootfs);
  await chmod(rootfs, 0o755);
  await mkdir(scratch);
  await fill(rootfs, scratch);

  const content = await openContent(join(scratch, 'layout'));
  const layers = [await layerFromDirectory(content, rootfs, { ownership: 'root' })];
  const manifest = await writeImage(content, { layers, config });
  await writeLayout(content, [{ ref: imageRef(name), manifest }]);
  await writeLayoutArchive(content, join(into, 'image.tar'));
  await writeFile(join(into, 'digest'), manifest.digest);
  await rm(scratch, { recursive: true });
}
