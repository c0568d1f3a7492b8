import type { ArtifactSource } from '@seaplane/baggageclaim';
import { hashOf } from '../places.ts';
import { STORE_PREFIX } from '../protocol.ts';

/** A tree that a sandbox or the store of this machine has. */
export interface TreeHere {
  /** The thing that must stay while somebody uses the tree: see {@link lowerOfSandbox}; for the store's, the artifact's id. */
  readonly lower: string;
  /** Where the tree is. Refuses a token that does not allow to read it. */
  locate(): Promise<string>;
}

export interface HereParts {
  /** `127.0.0.1:PORT`, where this agent serves. */
  readonly address: () => string;
  /** Where a sandbox's directory is. Refuses a token that does not allow to read it. */
  readonly locateInSandbox: (handle: string, path: string, token: string) => Promise<string>;
  /** The same for an artifact of the store. */
  readonly locateArtifact: (id: string, token: string) => Promise<string>;
}

export type FindHere = (source: ArtifactSource[number]) => TreeHere | undefined;

/** Finds trees by the sources that requests name. Undefined for a source that is elsewhere. */
export function findHere(parts: HereParts): FindHere {
  return ({ url, token }) => {
    const { host, pathname, searchParams } = new URL(url);
    if (host !== parts.address()) return undefined;
    const [, escaped] = /^\/sandboxes\/([^/]+)\/tree$/.exec(pathname) ?? [];
    const path = searchParams.get('path');
    if (escaped !== undefined && path) {
      const handle = decodeURIComponent(escaped);
      const locate = () => parts.locateInSandbox(handle, path, token);
      return { lower: lowerOfSandbox(hashOf(handle)), locate };
    }
    const [, id] = pathname.startsWith(`${STORE_PREFIX}/`) ? (/\/artifacts\/([^/]+)$/.exec(pathname) ?? []) : [];
    if (id === undefined) return undefined;
    const artifact = decodeURIComponent(id);
    return { lower: artifact, locate: () => parts.locateArtifact(artifact, token) };
  };
}

/** The name that a sandbox's directory has among the things that other sandboxes use. No artifact has such an id. */
export function lowerOfSandbox(hash: string): string {
  return `sandbox@${hash}`;
}
