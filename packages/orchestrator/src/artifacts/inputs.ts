import type { RunInput } from '@seaplane/baggageclaim';
import type { ArtifactRef, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import type { Worker } from '../placement/workers.ts';

/** Where a sandbox of the worker loads its inputs from. */
export function loadable(
  { artifacts }: BuildContext,
  io: StepIo,
  worker: Worker,
  inputs: readonly { readonly path: string; readonly artifact: ArtifactRef }[],
): Promise<RunInput[]> {
  return Promise.all(
    inputs.map(async ({ path, artifact }) => ({ path, from: await artifacts.sources(artifact, worker, io.signal) })),
  );
}
