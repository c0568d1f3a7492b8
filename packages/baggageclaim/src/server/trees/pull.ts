import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { ArtifactSource } from '../../protocol/messages.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { unpack } from './tar.ts';

/** Opens the tar stream that a source serves. */
export type Pull = (source: ArtifactSource[number], signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/**
 * Copies the tree of a source that is on this machine into an empty directory. Returns false if the source is elsewhere.
 * Asks for the source's token as the source would.
 */
export type CopyHere = (source: ArtifactSource[number], into: string, signal: AbortSignal) => Promise<boolean>;

/**
 * Shows the tree of a source that is on this machine at a path of the sandbox: a step may change what it sees, and the source
 * stays as it is. Returns false if the source is elsewhere, or the machine cannot do that. Asks for the token, too.
 */
export type ShowHere = (source: ArtifactSource[number], at: string, signal: AbortSignal) => Promise<boolean>;

export interface Puller {
  readonly runtime: Runtime;
  readonly pull: Pull;
  readonly copyHere?: CopyHere;
  readonly showHere?: ShowHere;
}

const TRIES_EACH = 2;

/**
 * Opens one source after the other and gives its stream to `take`, until `take` succeeds. Throws the problems of all sources
 * when none is left, and `too-large` or `full` at once: another source gives the same bytes.
 */
export async function pullFirst(
  pull: Pull,
  from: ArtifactSource,
  take: (tar: ReadableStream<Uint8Array>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const problems: string[] = [];
  for (const source of from) {
    for (let tries = 0; tries < TRIES_EACH; tries++) {
      const failed = new AbortController();
      try {
        return await take(await pull(source, AbortSignal.any([signal, failed.signal])));
      } catch (error) {
        failed.abort(error); // stop the source from sending the rest
        signal.throwIfAborted();
        if (isOfSize(error)) throw error;
        problems.push(`${new URL(source.url).host}: ${(error as Error).message}`);
      }
    }
  }
  throw new Error(problems.length > 0 ? [...new Set(problems)].join('; ') : 'it has no sources');
}

export function isOfSize(error: unknown): error is BaggageclaimError {
  return error instanceof BaggageclaimError && (error.code === 'too-large' || error.code === 'full');
}

/** Shows the first source that this machine has. Returns false if it can show none. */
export async function showTree(
  { showHere }: Pick<Puller, 'showHere'>,
  from: ArtifactSource,
  at: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (const source of showHere ? from : []) {
    if (await showHere?.(source, at, signal)) return true;
    signal.throwIfAborted();
  }
  return false;
}

/** A directory that is empty, and how to empty it again. */
export interface EmptyDirectory {
  readonly path: string;
  empty(): Promise<void>;
}

/** Unpacks an artifact into an empty directory, from the first source that serves all of it. */
export async function pullTree(
  { runtime, pull, copyHere }: Puller,
  from: ArtifactSource,
  into: EmptyDirectory,
  signal: AbortSignal,
): Promise<void> {
  let isEmpty = true;
  for (const source of copyHere ? from : []) {
    const isCopied = await copyHere?.(source, into.path, signal).catch(() => {
      isEmpty = false; // of a part of the tree; the next way begins anew
      return false;
    });
    if (isCopied) return;
    signal.throwIfAborted();
    if (!isEmpty) await into.empty();
    isEmpty = true;
  }
  const take = async (tar: ReadableStream<Uint8Array>) => {
    if (!isEmpty) await into.empty(); // a link that one try left must not redirect the next
    isEmpty = false;
    await unpack(runtime, tar, into.path);
  };
  await pullFirst(pull, from, take, signal);
}
