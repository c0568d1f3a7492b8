import type { BuildInfo, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import type { StepWorker } from '../placement/workers.ts';

/** A step that reads artifacts: where it runs, and for which build. */
export interface ArtifactReader {
  readonly worker: StepWorker;
  readonly build: Pick<BuildInfo, 'id' | 'teamId' | 'teamName'>;
  readonly signal: AbortSignal;
  /** Shows users that an artifact is on its way from another worker. */
  readonly notice: StepIo['notice'];
}

export function readerOn(worker: StepWorker, { build }: BuildContext, { signal, notice }: StepIo): ArtifactReader {
  return { worker, build, signal, notice };
}
