import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CopyHere } from '@seaplane/baggageclaim/server';
import { STORE_PREFIX } from '../protocol.ts';

/** The same of a tree as a tar stream keeps. A file system that can clones files instead of copying them. */
const COPY = ['-dR', '--preserve=mode,ownership,timestamps,links', '--reflink=auto', '--'];

export interface HereParts {
  /** `127.0.0.1:PORT`, where this agent serves. */
  readonly address: () => string;
  /** Where a sandbox's directory is. Refuses a token that does not allow to read it. */
  readonly locateInSandbox: (handle: string, path: string, token: string) => Promise<string>;
  /** The same for an artifact of the store. */
  readonly locateArtifact: (id: string, token: string) => Promise<string>;
}

/** Loads inputs that come from sandboxes or the store of this agent, without the network. */
export function copyHere(parts: HereParts): CopyHere {
  return async ({ url, token }, into, signal) => {
    const { host, pathname, searchParams } = new URL(url);
    if (host !== parts.address()) return false;
    const [, handle] = /^\/sandboxes\/([^/]+)\/tree$/.exec(pathname) ?? [];
    const [, id] = pathname.startsWith(`${STORE_PREFIX}/`) ? (/\/artifacts\/([^/]+)$/.exec(pathname) ?? []) : [];
    const path = searchParams.get('path');
    let from: string;
    if (handle !== undefined && path) from = await parts.locateInSandbox(decodeURIComponent(handle), path, token);
    else if (id !== undefined) from = await parts.locateArtifact(decodeURIComponent(id), token);
    else return false;
    await promisify(execFile)('cp', [...COPY, `${from}/.`, into], { signal });
    return true;
  };
}
