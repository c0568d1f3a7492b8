import { mkdir, readdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isWithin } from './grants.ts';
import type { RunInput } from './protocol.ts';
import { type Puller, pullTree } from './pull.ts';

/** Fills the inputs, all at once but for those within others, which come after what they lie in. */
export async function loadInputs(puller: Puller, inputs: readonly RunInput[], signal: AbortSignal): Promise<void> {
  for (const wave of inWaves(inputs)) {
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const loads = wave.map(({ path, from }) =>
      emptyDirectory(path)
        .then(() => pullTree(puller, from, path, either))
        .catch((cause: Error) => {
          // The first reason is the one that counts; the others would load in vain.
          failure.abort(new Error(`the input at ${path} could not be loaded: ${cause.message}`, { cause }));
        }),
    );
    await Promise.all(loads);
    signal.throwIfAborted();
    failure.signal.throwIfAborted();
  }
}

/** Each input after all those that it lies within. */
export function inWaves(inputs: readonly RunInput[]): RunInput[][] {
  const waves: RunInput[][] = [];
  for (const input of inputs) {
    const depth = inputs.filter(({ path }) => path !== input.path && isWithin(input.path, path)).length;
    waves[depth] = [...(waves[depth] ?? []), input];
  }
  return waves.filter(Boolean);
}

/** It may be where a volume is mounted, so it stays itself. */
export async function emptyDirectory(path: string): Promise<void> {
  if (!isAbsolute(path)) throw new Error('its path is not absolute');
  await mkdir(path, { recursive: true });
  const entries = await readdir(path);
  await Promise.all(entries.map((name) => rm(join(path, name), { recursive: true, force: true })));
}
