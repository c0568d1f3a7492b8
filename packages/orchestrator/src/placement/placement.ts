import type { StepImage, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { SandboxFailure } from '../host/host-error.ts';
import type { KnownSandbox, SandboxRow } from '../records.ts';
import { sandboxHandle } from './identity.ts';
import { type ResolvedImage, resolveImage } from './images.ts';
import { removeSandbox } from './remove-sandbox.ts';
import { limitsFor } from './strategies.ts';
import { findCandidates, type StepToPlace, untilTaken } from './worker-choice.ts';
import type { StepWorker } from './workers.ts';

/** Where a step has its sandbox, or will have it. */
export interface Placement {
  readonly handle: string;
  readonly worker: StepWorker;
  /** The records hold the sandbox. They do so before it is made, so one that they do not hold is not this step's. */
  readonly known: boolean;
  /** It could be spoken to before a restart, so its process may have been started: it is there, or it was lost. */
  readonly made: boolean;
}

/** A step that has a sandbox of its own. */
export type OwnSandboxStep = StepToPlace & { readonly type: 'get' | 'put' | 'task' };

/**
 * Finds where the step was before a restart; otherwise chooses a worker. That worker may have no room: a get may not need
 * it. {@link recordPlacement} waits for room.
 */
export async function placeStep(context: BuildContext, io: StepIo, step: OwnSandboxStep): Promise<Placement> {
  const handle = sandboxHandle(io.identity, step.type);
  const known = await context.records.findSandbox(handle);
  if (!known) {
    const candidates = await findCandidates(context, io, step);
    const { worker } = candidates.find(({ refusal }) => refusal === undefined) ?? candidates[0];
    return { handle, worker, known: false, made: false };
  }
  return { handle, worker: workerNamed(context, known.worker), known: true, made: mayHaveStarted(known) };
}

/** Whether a process may have been started in the sandbox. */
export function mayHaveStarted({ state }: KnownSandbox): boolean {
  return state === 'created' || state === 'destroying';
}

/**
 * Records the step's sandbox before anything is done for it, on a worker that has room, and returns the placement that the
 * records hold: the step is on that worker from now on, also after a restart. The event that names the worker comes after
 * this.
 */
export async function recordPlacement(
  context: BuildContext,
  io: StepIo,
  step: OwnSandboxStep,
  placement: Placement,
  row: Pick<SandboxRow, 'labels' | 'workingDirectory'>,
): Promise<Placement> {
  const { handle, known } = placement;
  const { buildId, planId } = io.identity;
  const rowOn = async (worker: StepWorker): Promise<SandboxRow> => {
    if (!known) await removeForeign(context, io, handle, worker);
    // The user is recorded when the image is known.
    return { ...row, handle, worker: worker.name, owner: { buildId, planId }, user: '' };
  };
  const limits = limitsFor(context.placement.settings, step.type);
  const held =
    known || Object.keys(limits).length === 0
      ? await context.records.recordSandbox(await rowOn(placement.worker))
      : await untilTaken(context, io, step, async (worker) =>
          context.records.recordSandboxWithin(await rowOn(worker), limits),
        );
  return { ...placement, worker: workerNamed(context, held.worker), known: true };
}

/** Numbers of builds come again after a database was restored, and with them an old sandbox's name, process and record. */
async function removeForeign(context: BuildContext, io: StepIo, handle: string, worker: StepWorker): Promise<void> {
  if (!worker.watch.mayHave(handle)) return;
  await worker.watch.syncedSoon(io.signal);
  if (worker.watch.states().has(handle)) await removeSandbox(context, io, handle, worker);
}

/** Reports where the step runs, and makes its image one that the nodes there can pull. */
export async function prepareImage(
  context: BuildContext,
  io: StepIo,
  worker: StepWorker,
  asked: StepImage,
): Promise<ResolvedImage> {
  await io.notice({ kind: 'selected-worker', worker: worker.name });
  if (asked.kind === 'artifact') await context.records.recordImageUse(asked.artifact.id, context.build.id);
  return resolveImage(context, io, worker, asked);
}

/**
 * The same for a resource's scripts. Their image must be untouched: other builds use the versions that a check finds and the
 * files that a get fetches, under names that hold the image's name and not its content.
 */
export async function prepareScriptImage(
  context: BuildContext,
  io: StepIo,
  worker: StepWorker,
  asked: StepImage,
): Promise<ResolvedImage> {
  const image = await prepareImage(context, io, worker, asked);
  if (asked.kind === 'artifact') await context.artifacts.requireUntouched(asked.artifact);
  return image;
}

function workerNamed({ workers }: BuildContext, name: string): StepWorker {
  const worker = workers().find((candidate) => candidate.name === name);
  if (worker) return worker;
  throw new SandboxFailure(
    'bad-config',
    `the step runs on the worker ${name}, which this server does not have any more`,
  );
}
