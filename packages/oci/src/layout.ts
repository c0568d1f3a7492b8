import { createWriteStream } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { canonicalJson } from './canonical-json.ts';
import type { Content } from './content.ts';
import { type Descriptor, MediaType } from './descriptor.ts';
import { tarStream } from './tar-stream.ts';

export interface NamedImage {
  /** `repository:tag` */
  readonly ref: string;
  readonly manifest: Descriptor;
}

/** Turns the content's directory into an OCI image layout that holds these images. */
export async function writeLayout(content: Content, images: readonly NamedImage[]): Promise<void> {
  await writeWhole(join(content.dir, 'oci-layout'), canonicalJson({ imageLayoutVersion: '1.0.0' }));
  await writeWhole(join(content.dir, 'index.json'), canonicalJson(indexOf(images)));
}

/** Packs a layout as one file, which `ctr images import`, skopeo (`oci-archive:`) and `docker load` read. */
export async function writeLayoutArchive(content: Content, file: string): Promise<void> {
  const partial = `${file}.partial`;
  const tar = tarStream({ dir: content.dir, ownership: 'root', members: ['oci-layout', 'index.json', 'blobs'] });
  try {
    await pipeline(tar, createWriteStream(partial));
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}

function indexOf(images: readonly NamedImage[]) {
  return { schemaVersion: 2, mediaType: MediaType.index, manifests: images.map(indexEntryOf) };
}

/** containerd reads the whole name from its own annotation; the standard one holds only the tag. */
function indexEntryOf({ ref, manifest }: NamedImage): Descriptor {
  const annotations = {
    'io.containerd.image.name': ref,
    'org.opencontainers.image.ref.name': tagOf(ref),
  };
  return { ...manifest, annotations };
}

function tagOf(ref: string): string {
  return /:([^:/]+)$/.exec(ref)?.[1] ?? 'latest';
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.partial`, text);
  await rename(`${path}.partial`, path);
}
