import { type Digest, parseDigest } from '../descriptor.ts';
import { OciError } from '../oci-error.ts';

/** A repository of a registry. `docker.io` stands for Docker Hub in every way of writing it. */
export interface Repository {
  /** `docker.io`, `ghcr.io`, `localhost:5000`, `[::1]:5000` */
  readonly registry: string;
  /** `library/alpine`, `owner/name` */
  readonly name: string;
}

/** An image by its tag or by its digest. A reference with both is read by its digest. */
export interface Reference extends Repository {
  readonly tag?: string;
  readonly digest?: Digest;
}

const HUB = 'docker.io';
const HUB_ALIASES = [HUB, 'index.docker.io', 'registry-1.docker.io'];
const TAG = /^[\w][\w.-]{0,127}$/;
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;

/** Reads `[HOST[:PORT]/]NAME[:TAG][@DIGEST]`. The tag is `latest` when there is neither tag nor digest. Throws `bad-reference`. */
export function parseReference(text: string): Reference {
  const [named = '', digest, ...more] = text.split('@');
  if (more.length > 0) throw bad(text);
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) throw bad(text);
  const repository = parseRepository(hasTag ? named.slice(0, colon) : named, text);
  if (digest !== undefined) return { ...repository, ...(tag !== undefined && { tag }), digest: parseDigest(digest) };
  return { ...repository, tag: tag ?? 'latest' };
}

/** Reads `[HOST[:PORT]/]NAME`. The first part is a host if it has a dot or a port, or is `localhost`. */
export function parseRepository(text: string, whole: string = text): Repository {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const host = isHost ? first : HUB;
  const path = isHost ? text.slice(slash + 1) : text;
  if (!HOST.test(host) || !PATH.test(path)) throw bad(whole);
  const registry = HUB_ALIASES.includes(host) ? HUB : host;
  return { registry, name: registry === HUB && !path.includes('/') ? `library/${path}` : path };
}

/** The reference in full, as error messages and logs show it. */
export function formatReference({ registry, name, tag, digest }: Reference): string {
  return `${registry}/${name}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

export function isDockerHub({ registry }: Repository): boolean {
  return registry === HUB;
}

/** The host that answers for a registry: Docker Hub's API lives under another name. */
export function apiHostOf({ registry }: Repository): string {
  return registry === HUB ? 'registry-1.docker.io' : registry;
}

/** Registries on this machine speak HTTP as a rule. */
export function isLoopback({ registry }: Repository): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry);
}

function bad(text: string): OciError {
  return new OciError('bad-reference', `not an image reference: ${JSON.stringify(text.slice(0, 300))}`);
}
