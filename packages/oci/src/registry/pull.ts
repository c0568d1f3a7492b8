import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Descriptor, type Digest, hexOf, type Platform } from '../descriptor.ts';
import { type ContainerConfig, thisPlatform } from '../image.ts';
import { downloadBlob } from './download-blob.ts';
import { type RegistrySettings, withRegistry } from './endpoints.ts';
import { fetchImage } from './fetch-documents.ts';
import type { LayerStore } from './layer-store.ts';
import { formatReference, type Reference } from './reference.ts';
import type { RegistryClient } from './registry-client.ts';
import type { Clock } from './retry.ts';
import { unpackLayer } from './unpack-layer.ts';

/** For the build log. */
export type PullEvent =
  | { readonly type: 'mirror-failed'; readonly message: string }
  | { readonly type: 'fetching'; readonly image: string; readonly layers: number; readonly bytes: number }
  /** `bytes` of the layer's compressed `size` have come. */
  | { readonly type: 'layer'; readonly digest: Digest; readonly bytes: number; readonly size: number }
  | { readonly type: 'unpacked'; readonly digest: Digest };

export interface PullDeps {
  readonly clock: Clock;
  readonly layers: LayerStore;
  /** Notes of images that are whole, `HEX.json` each. */
  readonly imagesDir: string;
  /** Turns the `.wh.` files of an unpacked layer into the whiteouts of an overlay. */
  readonly convertWhiteouts: (dir: string, signal: AbortSignal) => Promise<void>;
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
    const dirs = await provideAll(deps, client, layers, config.diffIds, onEvent, signal);
    await writeNote(deps, digest, platform, { config: config.config, diffIds: config.diffIds });
    return { digest, config: config.config, layers: dirs };
  });
}

/** All layers at once. When one fails the others are given up, and have ended before this throws. */
async function provideAll(
  deps: PullDeps,
  client: RegistryClient,
  layers: readonly Descriptor[],
  diffIds: readonly Digest[],
  onEvent: (event: PullEvent) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    layers.map(async (layer, i) => {
      const diffId = diffIds[i] as Digest; // as many as layers: parseImageConfig checked it
      try {
        return await deps.layers.provide(
          diffId,
          (into, shared) => fill(deps, client, layer, diffId, into, onEvent, shared),
          both,
        );
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    }),
  );
  signal.throwIfAborted();
  failed.signal.throwIfAborted(); // with the first failure
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function fill(
  deps: PullDeps,
  client: RegistryClient,
  layer: Descriptor,
  diffId: Digest,
  into: string,
  onEvent: (event: PullEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  await unpackLayer(counted(downloadBlob(client, layer, signal), layer, onEvent), diffId, into, signal);
  await deps.convertWhiteouts(into, signal);
  onEvent({ type: 'unpacked', digest: layer.digest });
}

async function* counted(
  bytes: AsyncIterable<Buffer>,
  { digest, size }: Descriptor,
  onEvent: (event: PullEvent) => void,
): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    onEvent({ type: 'layer', digest, bytes: received, size });
    yield chunk;
  }
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
