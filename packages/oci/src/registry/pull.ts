import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Descriptor, type Digest, hexOf, type Platform } from '../descriptor.ts';
import { type ContainerConfig, thisPlatform } from '../image.ts';
import { downloadBlob } from './download-blob.ts';
import { type RegistrySettings, withRegistry } from './endpoints.ts';
import { fetchImage } from './fetch-documents.ts';
import { type LayerDeps, type LayerEvent, provideLayers } from './provide-layers.ts';
import { formatReference, type Reference } from './reference.ts';
import type { Clock } from './retry.ts';

/** For the build log. */
export type PullEvent =
  | { readonly type: 'mirror-failed'; readonly message: string }
  | { readonly type: 'fetching'; readonly image: string; readonly layers: number; readonly bytes: number }
  | LayerEvent;

export interface PullDeps extends LayerDeps {
  readonly clock: Clock;
  /** Notes of images that are whole, `HEX.json` each. */
  readonly imagesDir: string;
}

export interface PullOptions {
  readonly settings?: RegistrySettings;
  /** Default: Linux on this machine's processor. */
  readonly platform?: Platform;
  readonly onEvent?: (event: PullEvent) => void;
  readonly signal: AbortSignal;
}

export interface PulledImage {
  /** The digest that the tag named, which is that of an index where there is one. */
  readonly digest: Digest;
  readonly config: ContainerConfig;
  /** Directories of the unpacked layers, the lowest first. */
  readonly layers: readonly string[];
}

interface ImageNote {
  readonly config: ContainerConfig;
  readonly diffIds: readonly Digest[];
}

/** Brings an image here. An image named by its digest that is here already is not asked for again. Idempotent. */
export async function pullImage(deps: PullDeps, reference: Reference, options: PullOptions): Promise<PulledImage> {
  const { settings = {}, platform = thisPlatform(), onEvent = () => {}, signal } = options;
  if (reference.digest) {
    const known = await findPulled(deps, reference.digest, platform);
    if (known) return known;
  }
  const onFailure = (message: string) => onEvent({ type: 'mirror-failed', message });
  return withRegistry({ clock: deps.clock, settings, onFailure }, reference, signal, async (client) => {
    const name = reference.digest ?? reference.tag ?? 'latest';
    const { digest, manifest, config } = await fetchImage(client, name, platform, signal);
    const layers = manifest.document.layers;
    const bytes = layers.reduce((sum, { size }) => sum + size, 0);
    onEvent({
      type: 'fetching',
      image: formatReference({ ...client.repository, digest }),
      layers: layers.length,
      bytes,
    });
    const download = (layer: Descriptor, stop: AbortSignal) => downloadBlob(client, layer, stop);
    const dirs = await provideLayers(deps, { layers, diffIds: config.diffIds }, download, { onEvent, signal });
    await writeNote(deps, digest, platform, { config: config.config, diffIds: config.diffIds });
    return { digest, config: config.config, layers: dirs };
  });
}

async function findPulled(deps: PullDeps, digest: Digest, platform: Platform): Promise<PulledImage | undefined> {
  const text = await readFile(notePath(deps, digest, platform), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { config, diffIds } = JSON.parse(text) as ImageNote;
  const layers: string[] = [];
  for (const diffId of diffIds) {
    const dir = await deps.layers.find(diffId);
    if (!dir) return undefined; // removed meanwhile
    layers.push(dir);
  }
  return { digest, config, layers };
}

async function writeNote(deps: PullDeps, digest: Digest, platform: Platform, note: ImageNote): Promise<void> {
  const path = notePath(deps, digest, platform);
  const partial = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(partial, JSON.stringify(note));
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

function notePath({ imagesDir }: PullDeps, digest: Digest, { os, architecture }: Platform): string {
  return join(imagesDir, `${hexOf(digest)}-${os}-${architecture}.json`);
}
