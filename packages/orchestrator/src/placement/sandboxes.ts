import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { ContainerLimits } from '@seaplane/config';
import { type Clock, Drained, type StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import type { SandboxLabels } from '../host/sandbox-host.ts';
import { sandboxGone } from '../host/sandbox-watch.ts';
import type { Records } from '../records.ts';
import { withSignal } from '../with-signal.ts';
import { shortHash } from './identity.ts';
import type { ResolvedImage } from './images.ts';
import type { Placement } from './placement.ts';
import { removeSandbox } from './remove-sandbox.ts';
import { createWhenRoom, untilReady } from './room-for-step.ts';
import type { StepWorker } from './workers.ts';

const SYNC_PATIENCE_MS = 30_000;

export interface SandboxRequest {
  readonly worker: StepWorker;
  readonly image: ResolvedImage;
  readonly labels: SandboxLabels;
  readonly hermetic?: boolean;
  readonly limits?: ContainerLimits;
  /** Absolute directories outside of the build directory that must be volumes. */
  readonly mounts?: readonly string[];
}

export interface SharedSandboxRequest extends SandboxRequest {
  readonly user: string;
  readonly workingDirectory: string;
  /** The build whose resource is checked in the sandbox. */
  readonly checkOf?: number;
  /** Only checks of this configuration use the sandbox, one at a time. Undefined: all of the team and image, side by side. */
  readonly config?: number;
}

export interface RunningSandbox {
  readonly handle: string;
  readonly worker: StepWorker;
  readonly client: BaggageclaimClient;
}

/**
 * Finds the sandbox of a step that was made before a restart; returns undefined if none was. A sandbox that was made and
 * is not there is an error: if it were made again, its process would run twice. A step that is to end finds what there
 * is to end, or ends here.
 */
export async function findMade(
  context: BuildContext,
  io: StepIo,
  { handle, worker, made }: Placement,
): Promise<RunningSandbox | undefined> {
  const { records, clock } = context;
  const { aborted, reason } = io.signal;
  if (aborted && (!made || reason instanceof Drained)) throw reason;
  if (!made) return undefined;
  if (aborted) {
    await syncedOrLate(clock, worker);
    if (worker.watch.states().get(handle)?.phase !== 'ready') throw reason;
  } else {
    await withSignal(worker.watch.synced, io.signal);
    await recordFailure(records, io, handle, async () => {
      if (!worker.watch.states().has(handle)) throw sandboxGone(handle);
      await untilReady(context, io, handle, worker);
    });
  }
  return { handle, worker, client: await worker.host.connect(handle) };
}

/**
 * Waits for the first sync of the watch, but not for ever: a build can be aborted also while its cluster is away. If its
 * process still runs then, the collector ends it with its sandbox.
 */
async function syncedOrLate(clock: Clock, { watch }: StepWorker): Promise<void> {
  const synced = new AbortController();
  const late = clock.sleep(SYNC_PATIENCE_MS, synced.signal).catch(() => {});
  await Promise.race([watch.synced, late]);
  synced.abort();
}

/**
 * Makes a sandbox that the records hold, and returns when it can be spoken to. The records call it `created` only when a
 * process is about to start, see {@link claimSandbox}.
 */
export async function startSandbox(
  context: BuildContext,
  io: StepIo,
  handle: string,
  request: SandboxRequest,
): Promise<RunningSandbox> {
  const { worker, image, labels, limits, hermetic = false, mounts = [] } = request;
  await recordFailure(context.records, io, handle, async () => {
    const spec = { handle, image: image.image, privileged: image.privileged, hermetic, mounts, labels };
    await createWhenRoom(context, io, worker, limits ? { ...spec, limits } : spec);
    await untilReady(context, io, handle, worker);
  });
  return { handle, worker, client: await worker.host.connect(handle) };
}

/**
 * Records that a process may run in the sandbox as this user. Call it right before the process is started. Throws
 * {@link Drained} if this web may not start it: while this web slept, another one may have taken the build and ended it.
 */
export async function claimSandbox({ records, pen }: BuildContext, handle: string, user: string): Promise<void> {
  if (await records.markSandboxCreated(handle, user, await pen())) return;
  throw new Drained(
    'this web does not have the build any more, or the sandbox is being destroyed: nothing was started',
  );
}

/**
 * Finds or makes a sandbox that checks of one team share, one for each worker and image, or for each configuration. A
 * sandbox that failed or is leaving is replaced: unlike a step's own, nothing in it is worth keeping.
 */
export async function startSharedSandbox(
  context: BuildContext,
  io: StepIo,
  request: SharedSandboxRequest,
): Promise<RunningSandbox> {
  const { worker, labels, workingDirectory, user, checkOf, config } = request;
  const { records } = context;
  const handle = sharedHandle(request);
  if (worker.watch.states().get(handle)?.phase === 'failed') await removeSandbox(context, io, handle, worker);
  // The records also keep what was checked in the sandbox.
  const noted = checkOf === undefined ? labels : { ...labels, buildId: checkOf };
  const row = { handle, worker: worker.name, labels: noted, workingDirectory, user };
  await records.recordSandbox(config === undefined ? row : { ...row, config });
  const sandbox = await startSandbox(context, io, handle, request);
  await records.recordSandboxUse(handle);
  return sandbox;
}

/** The worker is part of the name: the same checks on another worker have another sandbox, and another record. */
export function sharedHandle({ worker, labels, image, config }: SharedSandboxRequest): string {
  const shared = [worker.name, labels.team, image.image.reference, image.privileged];
  return `${labels.type}-${shortHash(config === undefined ? shared : [...shared, config])}`;
}

/** Records why a sandbox does not run, if `action` throws. */
async function recordFailure(records: Records, io: StepIo, handle: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!io.signal.aborted) await records.markSandboxFailed(handle, (error as Error).message);
    throw error;
  }
}
