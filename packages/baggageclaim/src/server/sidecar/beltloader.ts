import type { RunInput } from '../../protocol/messages.ts';
import { isWithin } from '../trees/is-within.ts';
import { type Puller, pullTree, showTree } from '../trees/pull.ts';
import type { Volumes } from './volumes.ts';

/** Loads the inputs at the same time, except that an input within another is loaded after that. */
export async function loadInputs(
  puller: Puller,
  volumes: Volumes,
  inputs: readonly RunInput[],
  signal: AbortSignal,
): Promise<void> {
  for (const wave of inWaves(inputs)) {
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const loads = wave.map((input) =>
      loadInput(puller, volumes, input, either).catch((cause: Error) => {
        // The first failure is the reason that counts. It stops the other inputs.
        failure.abort(new Error(`the input at ${input.path} could not be loaded: ${cause.message}`, { cause }));
      }),
    );
    await Promise.all(loads);
    signal.throwIfAborted();
    failure.signal.throwIfAborted();
  }
}

async function loadInput(
  puller: Puller,
  volumes: Volumes,
  { path, from, mayShow }: RunInput,
  signal: AbortSignal,
): Promise<void> {
  const directory = await volumes.emptyDirectory(path);
  const { coverable } = directory;
  if (mayShow && coverable !== undefined && (await showTree(puller, from, coverable, signal))) return;
  await pullTree(puller, from, directory, signal);
}

/** Groups of inputs that can be loaded together. Each input is in a later group than those it lies within. */
export function inWaves(inputs: readonly RunInput[]): RunInput[][] {
  const waves: RunInput[][] = [];
  for (const input of inputs) {
    const depth = inputs.filter(({ path }) => path !== input.path && isWithin(input.path, path)).length;
    waves[depth] = [...(waves[depth] ?? []), input];
  }
  return waves.filter(Boolean);
}
