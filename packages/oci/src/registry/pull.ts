import { join } from 'node:path';
import { type Descriptor, type Digest, hexOf, type Platform } from '../descriptor.ts';
import { type ContainerConfig, thisPlatform } from '../image.ts';
import { OciError } from '../oci-error.ts';
import { downloadBlob } from './download-blob.ts';
import { type RegistrySettings, withRegistry } from './endpoints.ts';
import { fetchImage, resolveDigest } from './fetch-documents.ts';
import { hasProof, type ImageNote, readNote, writeNote } from './image-note.ts';
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
  /**
   * Whether the registry is asked for an image that is here and that the same repository has shown to the same password. Default:
   * yes.
   */
  readonly askAgain?: boolean;
  readonly signal: AbortSignal;
}

export interface PulledImage {
  /** The digest that the tag named, which is that of an index where there is one. */
  readonly digest: Digest;
  readonly config: ContainerConfig;
  /** Directories of the unpacked layers, the lowest first. */
  readonly layers: readonly string[];
}

/**
 * Brings an image here. An image named by its digest that is here already is not fetched again; but its registry is asked
 * whether whoever wants it may have it: somebody else may have pulled it, with another password. Idempotent.
 */
export async function pullImage(deps: PullDeps, reference: Reference, options: PullOptions): Promise<PulledImage> {
  const { settings = {}, platform = thisPlatform(), onEvent = () => {}, askAgain = true, signal } = options;
  const onFailure = (message: string) => onEvent({ type: 'mirror-failed', message });
  const registry = { clock: deps.clock, settings, onFailure };
  const access = [reference.registry, reference.name, settings.credentials] as const;
  const pathOf = (digest: Digest) => join(deps.imagesDir, noteName(digest, platform));
  const { digest: named } = reference;
  const { note, layers } = (named && (await findNoted(deps, pathOf(named)))) ?? {};
  if (named && note && layers && (await mayHave(named, note))) return { digest: named, config: note.config, layers };

  return withRegistry(registry, reference, signal, async (client) => {
    const name = named ?? reference.tag ?? 'latest';
    const { digest, manifest, config } = await fetchImage(client, name, platform, signal);
    const wanted = manifest.document.layers;
    const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
    onEvent({
      type: 'fetching',
      image: formatReference({ ...client.repository, digest }),
      layers: wanted.length,
      bytes,
    });
    const download = (layer: Descriptor, stop: AbortSignal) => downloadBlob(client, layer, stop);
    const dirs = await provideLayers(deps, { layers: wanted, diffIds: config.diffIds }, download, { onEvent, signal });
    await writeNote(pathOf(digest), { config: config.config, diffIds: config.diffIds }, access);
    return { digest, config: config.config, layers: dirs };
  });

  /** A registry that does not answer leaves the image to those who have proven before that they may have it. */
  async function mayHave(digest: Digest, known: ImageNote): Promise<boolean> {
    if (!askAgain && hasProof(known, access)) return true;
    try {
      const found = await withRegistry(registry, reference, signal, (client) => resolveDigest(client, digest, signal));
      if (found !== digest) return false;
      if (!hasProof(known, access)) await writeNote(pathOf(digest), known, access);
      return true;
    } catch (error) {
      if (error instanceof OciError && error.code === 'registry-failed' && hasProof(known, access)) return true;
      throw error;
    }
  }
}

/**
 * An image that was pulled to this machine, for somebody who has shown already that they may have it. Undefined: it is not
 * here.
 */
export async function findPulled(
  deps: Pick<PullDeps, 'layers' | 'imagesDir'>,
  digest: Digest,
  platform: Platform = thisPlatform(),
): Promise<PulledImage | undefined> {
  const found = await findNoted(deps, join(deps.imagesDir, noteName(digest, platform)));
  return found && { digest, config: found.note.config, layers: found.layers };
}

/** Undefined if there is no note, or if a layer was removed meanwhile. */
async function findNoted(
  deps: Pick<PullDeps, 'layers'>,
  path: string,
): Promise<{ readonly note: ImageNote; readonly layers: string[] } | undefined> {
  const note = await readNote(path);
  const layers = await Promise.all((note?.diffIds ?? []).map((diffId) => deps.layers.find(diffId)));
  return note && layers.every((dir) => dir !== undefined) ? { note, layers } : undefined;
}

function noteName(digest: Digest, { os, architecture }: Platform): string {
  return `${hexOf(digest)}-${os}-${architecture}.json`;
}
