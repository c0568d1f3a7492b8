import type { StepImage, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { SandboxFailure } from '../host/host-error.ts';
import { sandboxHandle } from './identity.ts';
import { type ResolvedImage, resolveImage } from './images.ts';
import { chooseWorker, type Requirements, type Worker } from './workers.ts';

/** Where a step has its sandbox. */
export interface Place {
  readonly handle: string;
  readonly worker: Worker;
  /** It is written down, which is done before it is made: whatever has its name without that is none of this step's. */
  readonly known: boolean;
  /** It could be spoken to before a restart, so its process may have been started: it is there, or it was lost. */
  readonly made: boolean;
}

type Needs = Pick<Requirements, 'tags' | 'platform'>;

/** Where the step was before a restart; else a worker is chosen. */
export async function placeStep(
  context: BuildContext,
  io: StepIo,
  type: 'get' | 'put' | 'task',
  asked: StepImage,
  needs: Needs,
): Promise<Place> {
  const handle = sandboxHandle(io.identity, type);
  const known = await context.records.findSandbox(handle);
  if (!known) return { handle, worker: workerFor(context, asked, needs), known: false, made: false };
  const worker = context.workers().find(({ name }) => name === known.worker);
  if (!worker) {
    const message = `the step runs on the worker ${known.worker}, which is not one of this server's any more`;
    throw new SandboxFailure('bad-config', message);
  }
  return { handle, worker, known: true, made: known.state === 'created' || known.state === 'destroying' };
}

export function workerFor({ workers, build }: BuildContext, asked: StepImage, needs: Needs): Worker {
  const baseType = asked.kind === 'base-type' ? { baseType: asked.type } : {};
  return chooseWorker(workers(), { ...needs, ...baseType, team: build.teamName });
}

/** Tells where the step runs, and makes its image one that the nodes there can pull. */
export async function imageOn(
  { artifacts, records, build }: BuildContext,
  io: StepIo,
  worker: Worker,
  asked: StepImage,
): Promise<ResolvedImage> {
  await io.notice({ kind: 'selected-worker', worker: worker.name });
  if (asked.kind === 'artifact') await records.recordImageUse(asked.artifact.id, build.id);
  return resolveImage(artifacts, worker, asked, io.signal);
}
