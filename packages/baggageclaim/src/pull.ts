import type { ArtifactSource } from './protocol.ts';
import { unpack } from './tar.ts';

/** Opens what a source serves. */
export type Pull = (source: ArtifactSource[number], signal: AbortSignal) => Promise<PulledTree>;

export interface PulledTree {
  readonly body: ReadableStream<Uint8Array>;
  readonly encoding: 'identity' | 'zstd';
}

const TRIES_EACH = 2;

/** Unpacks an artifact into an empty directory, from the first of its sources that gives all of it. */
export async function pullTree(pull: Pull, from: ArtifactSource, into: string, signal: AbortSignal): Promise<void> {
  const problems: string[] = [];
  for (const source of from) {
    for (let tries = 0; tries < TRIES_EACH; tries++) {
      try {
        const { body, encoding } = await pull(source, signal);
        // What an earlier try left is overwritten: it is the same tree.
        return await unpack(body, encoding, into);
      } catch (error) {
        signal.throwIfAborted();
        problems.push(`${new URL(source.url).host}: ${(error as Error).message}`);
      }
    }
  }
  throw new Error(problems.length > 0 ? [...new Set(problems)].join('; ') : 'it has no source');
}
