import type { RunInput } from '@seaplane/baggageclaim';
import type { ArtifactRef, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { OrchestratorError } from '../orchestrator-error.ts';
import type { StepWorker } from '../placement/workers.ts';
import { readerOn } from './artifact-reader.ts';

/** An artifact, and the directory of a sandbox that it is loaded into. */
export interface NeededInput {
  readonly path: string;
  readonly artifact: ArtifactRef;
  /** The sandbox need not have a copy that others can read. See `RunInput`. */
  readonly mayShow?: boolean;
}

/**
 * Marks the inputs that nobody reads from the sandbox afterwards. `made` are the directories that somebody may: outputs and
 * caches. A directory that holds another one, or lies in it, is one tree with it.
 */
export function markUnread(inputs: readonly NeededInput[], made: readonly string[]): NeededInput[] {
  return inputs.map((input) => {
    const others = [...made, ...inputs.filter((other) => other !== input).map(({ path }) => path)];
    return { ...input, mayShow: !others.some((path) => isBelow(path, input.path) || isBelow(input.path, path)) };
  });
}

/** Whether the path is the directory or lies in it. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** Finds where a sandbox of the worker can load its inputs from. Asks stores, and brings artifacts of other workers there. */
export function findInputs(
  context: BuildContext,
  io: StepIo,
  worker: StepWorker,
  inputs: readonly NeededInput[],
): Promise<RunInput[]> {
  const reader = readerOn(worker, context, io);
  return Promise.all(
    inputs.map(async ({ path, artifact, mayShow = false }) => {
      return { path, from: await context.artifacts.sources(artifact, reader), mayShow };
    }),
  );
}

/** Waits for the end of a process that loads these artifacts. If one of them has gone, the error says so. */
export async function explainMissing<T>(
  { artifacts }: BuildContext,
  io: StepIo,
  inputs: readonly ArtifactRef[],
  running: Promise<T>,
): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof OrchestratorError) || error.code !== 'input-not-loaded') throw error;
    throw (await artifacts.findLost(inputs, io.signal)) ?? error;
  }
}
