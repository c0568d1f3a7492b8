import type { ArtifactRef, StepImage, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { SandboxFailure } from '../host/host-error.ts';
import type { SandboxRow } from '../records.ts';
import { sandboxHandle } from './identity.ts';
import { type ResolvedImage, resolveImage } from './images.ts';
import { removeSandbox } from './remove-sandbox.ts';
import { chooseWorker, type Requirements, type StepWorker, stalledWorker } from './workers.ts';

/** A worker is stalled while its cluster does not answer; most come back soon. */
const STALLED_PATIENCE_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 1_000;

/** Where a step has its sandbox, or will have it. */
export interface Placement {
  readonly handle: string;
  readonly worker: StepWorker;
  /** The records hold the sandbox. They do so before it is made, so one that they do not hold is not this step's. */
  readonly known: boolean;
  /** It could be spoken to before a restart, so its process may have been started: it is there, or it was lost. */
  readonly made: boolean;
}

type Needs = Pick<Requirements, 'tags' | 'platform'>;

/** Finds where the step was before a restart; otherwise chooses a worker. */
export async function placeStep(
  context: BuildContext,
  io: StepIo,
  type: 'get' | 'put' | 'task',
  asked: StepImage,
  needs: Needs,
  inputs: readonly ArtifactRef[] = [],
): Promise<Placement> {
  const handle = sandboxHandle(io.identity, type);
  const known = await context.records.findSandbox(handle);
  if (!known) return { handle, worker: await workerFor(context, io, asked, needs, inputs), known: false, made: false };
  const made = known.state === 'created' || known.state === 'destroying';
  return { handle, worker: workerNamed(context, known.worker), known: true, made };
}

/**
 * Chooses a worker, if several can take the step the one that has most of its image and inputs. Where the only workers that
 * can take the step are stalled, the step waits for one of them, and says so.
 */
export async function workerFor(
  { workers, build, clock, records }: BuildContext,
  io: StepIo,
  asked: StepImage,
  step: Needs,
  inputs: readonly ArtifactRef[] = [],
): Promise<StepWorker> {
  const baseType = asked.kind === 'base-type' ? { baseType: asked.type } : {};
  const needs = { ...step, ...baseType, team: build.teamName, ownImage: asked.kind === 'none' };
  const deadline = clock.elapsedMs() + STALLED_PATIENCE_MS;
  let said = false;
  for (;;) {
    const stalled = stalledWorker(workers(), needs);
    if (!stalled || clock.elapsedMs() >= deadline) {
      return chooseWorker(workers(), needs, await countHeld(records, workers(), [...artifactOf(asked), ...inputs]));
    }
    const text = `waiting for the worker ${stalled.name}, which is stalled`;
    if (!said) void io.notice({ kind: 'message', text });
    said = true;
    await clock.sleep(LOOK_AGAIN_MS, io.signal);
  }
}

function artifactOf(image: StepImage): ArtifactRef[] {
  return image.kind === 'artifact' ? [image.artifact] : [];
}

/** How many of the artifacts each worker has. With one worker there is no choice, and nothing is counted. */
async function countHeld(
  records: BuildContext['records'],
  workers: readonly StepWorker[],
  artifacts: readonly ArtifactRef[],
): Promise<ReadonlyMap<string, number>> {
  const held = new Map<string, number>();
  if (workers.length < 2) return held;
  for (const row of await Promise.all(artifacts.map(({ id }) => records.findArtifact(id)))) {
    for (const worker of row ? [row.worker, ...row.copies] : []) held.set(worker, (held.get(worker) ?? 0) + 1);
  }
  return held;
}

/**
 * Records the step's sandbox before anything is done for it, and returns the placement that the records hold: the step is
 * on that worker from now on, also after a restart. The event that names the worker comes after this.
 */
export async function recordPlacement(
  context: BuildContext,
  io: StepIo,
  placement: Placement,
  row: Pick<SandboxRow, 'labels' | 'workingDirectory'>,
): Promise<Placement> {
  const { handle, worker, known } = placement;
  const { buildId, planId } = io.identity;
  // Numbers of builds come again after a database was restored, and with them an old sandbox's name, process and record.
  if (!known && worker.watch.mayHave(handle)) {
    await worker.watch.syncedSoon(io.signal);
    if (worker.watch.states().has(handle)) await removeSandbox(context, io, handle, worker);
  }
  const owner = { buildId, planId };
  // The user is recorded when the image is known.
  const held = await context.records.recordSandbox({ ...row, handle, worker: worker.name, owner, user: '' });
  return {
    ...placement,
    worker: held.worker === worker.name ? worker : workerNamed(context, held.worker),
    known: true,
  };
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
