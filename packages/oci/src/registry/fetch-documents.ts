import { type Descriptor, type Digest, MediaType, type Platform, parseDigest } from '../descriptor.ts';
import { OciError } from '../oci-error.ts';
import {
  chooseManifest,
  digestOf,
  type ImageConfig,
  type Index,
  MANIFEST_TYPES,
  type Manifest,
  parseImageConfig,
  parseManifest,
} from './documents.ts';
import { readSmall } from './http-exchange.ts';
import { formatReference } from './reference.ts';
import type { RegistryClient } from './registry-client.ts';

/** A document of a registry with the bytes that its digest is of. */
export interface FetchedManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly document: Manifest | Index;
}

export interface FetchedImage {
  /** The digest that was asked for or that the tag names: of an index, where there is one. */
  readonly digest: Digest;
  readonly manifest: FetchedManifest & { readonly document: Manifest };
  readonly config: ImageConfig;
  readonly configBytes: Buffer;
}

const MANIFEST_LIMIT = 8 * 1024 * 1024;
const CONFIG_LIMIT = 16 * 1024 * 1024;
const TAGS_LIMIT = 16 * 1024 * 1024;
const ACCEPT = { accept: MANIFEST_TYPES.join(', ') };

/** The digest that a tag (or digest) has now. Undefined when the registry does not know it. */
export async function resolveDigest(
  client: RegistryClient,
  name: string,
  signal: AbortSignal,
): Promise<Digest | undefined> {
  const path = `/manifests/${name}`;
  const answer = await client.request({ method: 'HEAD', path, headers: ACCEPT, ok: [200, 404, 405], signal });
  answer.body.resume();
  if (answer.status === 404) return undefined;
  const header = answer.headers['docker-content-digest'];
  if (answer.status === 200 && typeof header === 'string') return parseDigest(header);
  return (await fetchManifest(client, name, signal)).digest; // some registries answer HEAD without a digest
}

export async function fetchManifest(
  client: RegistryClient,
  name: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const path = `/manifests/${name}`;
  const answer = await client.request({ method: 'GET', path, headers: ACCEPT, ok: [200], signal });
  const bytes = await readSmall(answer, MANIFEST_LIMIT);
  const digest = digestOf(bytes);
  if (name.startsWith('sha256:') && name !== digest) throw mismatch(name, digest);
  const document = parseManifest(bytes, titleOf(client, name));
  const fallback = document.kind === 'index' ? MediaType.index : MediaType.manifest;
  const mediaType = (answer.headers['content-type'] ?? fallback).split(';')[0]?.trim() ?? fallback;
  return { digest, mediaType, bytes, document };
}

/** The manifest and configuration for a platform. */
export async function fetchImage(
  client: RegistryClient,
  name: string,
  platform: Platform,
  signal: AbortSignal,
): Promise<FetchedImage> {
  const title = titleOf(client, name);
  const top = await fetchManifest(client, name, signal);
  const manifest =
    top.document.kind === 'index'
      ? await fetchManifest(client, chooseManifest(top.document, platform, title).digest, signal)
      : top;
  const { document } = manifest;
  if (document.kind === 'index') throw new OciError('bad-document', `${title} is an index of indexes`);
  const configBytes = await fetchSmallBlob(client, document.config, signal);
  const config = parseImageConfig(configBytes, document.layers.length, title);
  return { digest: top.digest, manifest: { ...manifest, document }, config, configBytes };
}

async function fetchSmallBlob(client: RegistryClient, { digest }: Descriptor, signal: AbortSignal): Promise<Buffer> {
  const answer = await client.request({ method: 'GET', path: `/blobs/${digest}`, ok: [200], signal });
  const bytes = await readSmall(answer, CONFIG_LIMIT);
  const found = digestOf(bytes);
  if (found !== digest) throw mismatch(digest, found);
  return bytes;
}

/** All tags of the repository, in the registry's order. */
export async function listTags(client: RegistryClient, signal: AbortSignal): Promise<string[]> {
  const tags: string[] = [];
  let path: string | URL | undefined = '/tags/list';
  while (path !== undefined) {
    const answer = await client.request({ method: 'GET', path, ok: [200], signal });
    const { tags: page } = JSON.parse(String(await readSmall(answer, TAGS_LIMIT))) as { tags?: string[] | null };
    tags.push(...(page ?? []));
    const link: string | undefined = /<([^>]+)>\s*;\s*rel="?next"?/.exec(String(answer.headers['link'] ?? ''))?.[1];
    path = link === undefined ? undefined : new URL(link, answer.url);
  }
  return tags;
}

function titleOf(client: RegistryClient, name: string): string {
  const by = name.startsWith('sha256:') ? { digest: parseDigest(name) } : { tag: name };
  return formatReference({ ...client.repository, ...by });
}

function mismatch(expected: string, found: string): OciError {
  return new OciError('digest-mismatch', `expected ${expected}, the registry sent ${found}`);
}
