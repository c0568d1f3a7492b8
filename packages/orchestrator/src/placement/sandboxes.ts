import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { ContainerLimits } from '@seaplane/config';
import { Drained, type StepIo } from '@seaplane/engine';
import type { SandboxLabels } from '../host/sandbox-host.ts';
import { sandboxGone } from '../host/sandbox-watch.ts';
import type { Records, SandboxRow } from '../records.ts';
import { withSignal } from '../with-signal.ts';
import { shortHash } from './identity.ts';
import type { ResolvedImage } from './images.ts';
import type { Place } from './placement.ts';
import type { Worker } from './workers.ts';

const ASK_AGAIN_MS = 40_000;

export interface SandboxRequest {
  readonly worker: Worker;
  readonly image: ResolvedImage;
  readonly labels: SandboxLabels;
  readonly workingDirectory: string;
  readonly user: string;
  readonly hermetic?: boolean;
  readonly limits?: ContainerLimits;
  /** Of a shared sandbox: the build whose resource is checked in it. */
  readonly checkOf?: number;
  /** Absolute directories outside of the build directory that must be volumes. */
  readonly mounts?: readonly string[];
}

export interface RunningSandbox {
  readonly handle: string;
  readonly worker: Worker;
  readonly client: BaggageclaimClient;
}

/**
 * The sandbox of a step that was made before a restart, when it can be spoken to; undefined when none was. One that was
 * made and is not there is an error: made again, its process would run twice. A step that is to end finds what there is
 * to end, or ends here.
 */
export async function findMade(
  records: Records,
  io: StepIo,
  { handle, worker, made }: Place,
): Promise<RunningSandbox | undefined> {
  const { aborted, reason } = io.signal;
  if (aborted && (!made || reason instanceof Drained)) throw reason;
  if (!made) return undefined;
  if (aborted) {
    await worker.watch.synced;
    if (worker.watch.states().get(handle)?.phase !== 'ready') throw reason;
  } else {
    await withSignal(worker.watch.synced, io.signal);
    await orFailed(records, io, handle, async () => {
      if (!worker.watch.states().has(handle)) throw sandboxGone(handle);
      await untilReady(io, handle, worker);
    });
  }
  return { handle, worker, client: await worker.host.connect(handle) };
}

/** Makes the sandbox of a step, and returns when it can be spoken to. */
export async function startSandbox(
  records: Records,
  io: StepIo,
  { handle, worker, known }: Place,
  request: SandboxRequest,
): Promise<RunningSandbox> {
  const { buildId, planId } = io.identity;
  // Numbers of builds come again after a database was restored, and with them an old sandbox's name, process and record.
  if (!known && worker.watch.mayHave(handle)) {
    await worker.watch.syncedSoon(io.signal);
    if (worker.watch.states().has(handle)) await removeSandbox(io, handle, worker);
  }
  return start(records, io, handle, request, { buildId, planId });
}

/**
 * Finds or makes a sandbox that checks of one team share, one for each image. One that failed or is leaving is replaced:
 * unlike a step's own, nothing of it is worth keeping.
 */
export async function startSharedSandbox(
  records: Records,
  io: StepIo,
  request: SandboxRequest,
): Promise<RunningSandbox> {
  const { worker } = request;
  const handle = sharedHandle(request);
  if (worker.watch.states().get(handle)?.phase === 'failed') {
    await removeSandbox(io, handle, worker);
  }
  const sandbox = await start(records, io, handle, request);
  await records.recordSandboxUse(handle);
  return sandbox;
}

/** Asks again while it stays: the host may only then see that nobody is there to let it go. */
async function removeSandbox({ signal }: StepIo, handle: string, { host, watch }: Worker): Promise<void> {
  for (let stays = true; stays; ) {
    await host.destroy(handle);
    const again = new AbortController();
    const timer = setTimeout(() => again.abort(), ASK_AGAIN_MS);
    await watch.untilGone(handle, AbortSignal.any([signal, again.signal])).then(
      () => {
        stays = false;
      },
      () => signal.throwIfAborted(),
    );
    clearTimeout(timer);
  }
}

export function sharedHandle({ labels, image }: SandboxRequest): string {
  return `${labels.type}-${shortHash([labels.team, image.image.reference, image.privileged])}`;
}

async function start(
  records: Records,
  io: StepIo,
  handle: string,
  request: SandboxRequest,
  owner?: SandboxRow['owner'],
): Promise<RunningSandbox> {
  const { worker, image, labels, workingDirectory, user, limits, hermetic = false, mounts = [] } = request;
  // Of a shared sandbox the records keep what was checked in it, too.
  const noted = request.checkOf === undefined ? labels : { ...labels, buildId: request.checkOf };
  const row = { handle, worker: worker.name, labels: noted, workingDirectory, user };
  await records.recordSandbox(owner ? { ...row, owner } : row);
  await orFailed(records, io, handle, async () => {
    const spec = { handle, image: image.image, privileged: image.privileged, hermetic, mounts, labels };
    await worker.host.create(limits ? { ...spec, limits } : spec, io.signal);
    await untilReady(io, handle, worker);
  });
  await records.markSandboxCreated(handle);
  return { handle, worker, client: await worker.host.connect(handle) };
}

function untilReady(io: StepIo, handle: string, { watch }: Worker): Promise<void> {
  return watch.untilReady(handle, io.signal, (text) => void io.notice({ kind: 'message', text }));
}

/** Writes down why a sandbox does not run. */
async function orFailed(records: Records, io: StepIo, handle: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!io.signal.aborted) await records.markSandboxFailed(handle, (error as Error).message);
    throw error;
  }
}
