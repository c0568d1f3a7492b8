import type { ArtifactRef, StepImage, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import type { WorkerLoad } from '../records.ts';
import { shortHash } from './identity.ts';
import { makeRoom } from './make-room.ts';
import {
  chainFor,
  limitsFor,
  orderWorkers,
  type PlacedType,
  refusalOf,
  usesLoads,
  type WorkerFacts,
} from './strategies.ts';
import { type Requirements, type StepWorker, stalledWorker, workersFor } from './workers.ts';

/** A worker is stalled while its cluster does not answer; most come back soon. */
const STALLED_PATIENCE_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 1_000;
/** As Concourse does (atc/worker/pool.go). The end of a step of this web is noticed at once. */
const ROOM_AGAIN_MS = 5_000;

/** A step, as far as the choice of its worker depends on it. */
export interface StepToPlace extends Pick<Requirements, 'tags' | 'platform'> {
  readonly type: PlacedType;
  readonly image: StepImage;
  readonly inputs?: readonly ArtifactRef[];
  readonly caches?: { readonly jobId: number; readonly stepName: string; readonly paths: readonly string[] };
  /** Steps with the same key prefer the same worker among equal ones. Absent: chance decides. */
  readonly key?: string;
}

/** A worker that can take the step. */
export interface Candidate extends WorkerFacts {
  readonly worker: StepWorker;
  /** Why it has no room for the step now, in words. */
  readonly refusal?: string;
}

/**
 * The workers that can take the step, in the order of the operator's strategies. Where the only workers that can take the
 * step are stalled, the step waits for one of them, and says so.
 */
export async function findCandidates(
  context: BuildContext,
  io: StepIo,
  step: StepToPlace,
): Promise<readonly [Candidate, ...Candidate[]]> {
  const { settings } = context.placement;
  const workers = await untilRunning(context, io, step);
  const [chain, limits] = [chainFor(settings, step.type), limitsFor(settings, step.type)];
  const [held, loads] = await Promise.all([
    workers.length > 1 && chain.includes('volume-locality') ? countHeld(context, step) : new Map<string, number>(),
    usesLoads(chain) ? context.records.findWorkerLoads(workers.map(({ name }) => name)) : new Map<string, WorkerLoad>(),
  ]);
  const candidates = workers.map((worker): Candidate => {
    const load = loads.get(worker.name) ?? IDLE;
    const refusal = refusalOf(load, limits);
    const tieBreak = step.key === undefined ? context.placement.random() : shortHash([step.key, worker.name]);
    return { worker, held: held.get(worker.name) ?? 0, load, tieBreak, ...(refusal ? { refusal } : {}) };
  });
  return orderWorkers(chain, limits, step.type, candidates) as [Candidate, ...Candidate[]];
}

const IDLE: WorkerLoad = { tasks: 0, sandboxes: 0, buildSandboxes: 0, artifacts: 0 };

/**
 * Calls `take` with each worker that has room, in order, until one returns a result. While no worker has room, the step
 * waits, and says so once, with the reason.
 */
export async function untilTaken<T>(
  context: BuildContext,
  io: StepIo,
  step: StepToPlace,
  take: (worker: StepWorker) => Promise<T | undefined>,
): Promise<T> {
  const { placement } = context;
  let said = false;
  for (;;) {
    io.signal.throwIfAborted();
    const change = placement.changes.next();
    const candidates = await findCandidates(context, io, step);
    for (const { worker, refusal } of candidates) {
      const taken = refusal === undefined ? await take(worker) : undefined;
      if (taken !== undefined) return taken;
    }
    const reasons = candidates.flatMap(({ worker, refusal }) => (refusal ? [`${worker.name} ${refusal}`] : []));
    // Without a reason, another step has just taken the last place.
    if (reasons.length === 0) continue;
    if (!said) await io.notice({ kind: 'waiting-for-worker', reason: `waiting for a worker: ${reasons.join('; ')}` });
    said = true;
    if (!(await freeFinished(context, io, candidates)))
      await placement.changes.within(change, ROOM_AGAIN_MS, io.signal);
  }
}

/** Sandboxes of steps that have ended count, too. Where they are in the way, the step would wait for its own build. */
async function freeFinished(context: BuildContext, io: StepIo, candidates: readonly Candidate[]): Promise<boolean> {
  if (context.placement.settings.maxSandboxes === 0) return false;
  let gone = 0;
  for (const { worker } of candidates) gone += await makeRoom(context, worker, 'any', 1, io.signal);
  return gone > 0;
}

async function untilRunning(
  { workers, build, clock }: BuildContext,
  io: StepIo,
  { image, tags, platform }: StepToPlace,
): Promise<readonly StepWorker[]> {
  const needs = {
    tags,
    ...(platform === undefined ? {} : { platform }),
    ...(image.kind === 'base-type' ? { baseType: image.type } : {}),
    team: build.teamName,
    ownImage: image.kind === 'none',
  };
  const deadline = clock.elapsedMs() + STALLED_PATIENCE_MS;
  let said = false;
  for (;;) {
    const stalled = stalledWorker(workers(), needs);
    if (!stalled || clock.elapsedMs() >= deadline) return workersFor(workers(), needs);
    const reason = `waiting for the worker ${stalled.name}, which is stalled`;
    if (!said) await io.notice({ kind: 'waiting-for-worker', reason });
    said = true;
    await clock.sleep(LOOK_AGAIN_MS, io.signal);
  }
}

/** How much of the step's image, inputs and caches each worker has. */
async function countHeld(
  { records }: BuildContext,
  { image, inputs = [], caches }: StepToPlace,
): Promise<ReadonlyMap<string, number>> {
  const artifacts = image.kind === 'artifact' ? [image.artifact, ...inputs] : inputs;
  const rows = await Promise.all(artifacts.map(({ id }) => records.findArtifact(id)));
  const holders = rows.flatMap((row) => (row ? [...new Set([row.worker, ...row.copies])] : []));
  if (image.kind === 'pulled') holders.push(image.image.worker);
  if (caches && caches.paths.length > 0) holders.push(...(await records.findTaskCacheWorkers(caches, caches.paths)));
  const held = new Map<string, number>();
  for (const worker of holders) held.set(worker, (held.get(worker) ?? 0) + 1);
  return held;
}
