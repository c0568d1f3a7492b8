import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { ContainerLimits } from '@seaplane/config';
import { Drained, type StepIo } from '@seaplane/engine';
import { sandboxHandle, shortHash } from './identity.ts';
import type { ResolvedImage } from './images.ts';
import type { Records, SandboxRow } from './records.ts';
import type { SandboxLabels } from './sandbox-host.ts';
import type { Worker } from './workers.ts';

export interface SandboxRequest {
  readonly worker: Worker;
  readonly image: ResolvedImage;
  readonly labels: SandboxLabels;
  readonly workingDirectory: string;
  readonly user: string;
  readonly hermetic?: boolean;
  readonly limits?: ContainerLimits;
  /** Absolute directories outside of the build directory that must be volumes. */
  readonly mounts?: readonly string[];
}

export interface RunningSandbox {
  readonly handle: string;
  readonly worker: Worker;
  readonly client: BaggageclaimClient;
}

/** Makes the sandbox of a step, or finds the one made before a restart, and returns when it can be spoken to. */
export async function startSandbox(records: Records, io: StepIo, request: SandboxRequest): Promise<RunningSandbox> {
  const handle = sandboxHandle(io.identity, request.labels.type);
  if (io.signal.aborted) return findStarted(io, handle, request.worker);
  const { buildId, planId } = io.identity;
  return start(records, io, handle, request, { buildId, planId });
}

/** A step that is to end may have been started before a restart: then what runs is found, to be ended. Nothing is made. */
async function findStarted(io: StepIo, handle: string, worker: Worker): Promise<RunningSandbox> {
  if (io.signal.reason instanceof Drained) throw io.signal.reason;
  await worker.watch.synced;
  if (worker.watch.states().get(handle)?.phase !== 'ready') throw io.signal.reason;
  return { handle, worker, client: await worker.host.connect(handle) };
}

/**
 * Finds or makes a sandbox that checks of one team share, one for each image. One that failed is replaced: unlike a
 * step's own, nothing of it is worth keeping.
 */
export async function startSharedSandbox(
  records: Records,
  io: StepIo,
  request: SandboxRequest,
): Promise<RunningSandbox> {
  const { worker, image, labels } = request;
  const handle = `${labels.type}-${shortHash([labels.team, image.image.reference, image.privileged])}`;
  if (worker.watch.states().get(handle)?.phase === 'failed') {
    await worker.host.destroy(handle);
    await worker.watch.untilGone(handle, io.signal);
  }
  const sandbox = await start(records, io, handle, request);
  await records.sandboxUsed(handle);
  return sandbox;
}

async function start(
  records: Records,
  io: StepIo,
  handle: string,
  request: SandboxRequest,
  owner?: SandboxRow['owner'],
): Promise<RunningSandbox> {
  const { worker, image, labels, workingDirectory, user, limits, hermetic = false, mounts = [] } = request;
  // Of a shared sandbox the records keep for which builds it was used, too.
  const row = {
    handle,
    worker: worker.host.name,
    labels: { ...labels, buildId: io.identity.buildId },
    workingDirectory,
    user,
  };
  await records.recordSandbox(owner ? { ...row, owner } : row);
  try {
    const spec = { handle, image: image.image, privileged: image.privileged, hermetic, mounts, labels };
    await worker.host.create(limits ? { ...spec, limits } : spec, io.signal);
    await worker.watch.untilReady(handle, io.signal, (text) => void io.notice({ kind: 'message', text }));
  } catch (error) {
    if (!io.signal.aborted) await records.sandboxFailed(handle, (error as Error).message);
    throw error;
  }
  await records.sandboxCreated(handle);
  return { handle, worker, client: await worker.host.connect(handle) };
}
