import type { StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { HostError } from '../host/host-error.ts';
import type { SandboxSpec } from '../host/sandbox-host.ts';
import { makeRoom } from './make-room.ts';
import type { StepWorker } from './workers.ts';

/** A machine may get room by itself within this time: a step that has just ended gives back what it had. */
const FIRST_LOOK_MS = 5_000;
const LONGEST_LOOK_MS = 60_000;

/** Creates the sandbox as soon as the host's quota allows it. The log says once that the step waits for that, and why. */
export async function createWhenRoom(
  context: BuildContext,
  io: StepIo,
  worker: StepWorker,
  spec: SandboxSpec,
): Promise<void> {
  let said = false;
  let count = 1;
  const onFull = async (refusal?: HostError) => {
    const why = refusal?.message ?? 'other steps wait for it already';
    if (!said) void io.notice({ kind: 'message', text: `waiting for room on the worker ${worker.name}: ${why}` });
    said = true;
    // Twice as many each time: nobody knows how much each of them gives back.
    if (refusal && (await makeRoom(context, worker, 'any', count, io.signal)) > 0) count *= 2;
  };
  const attempt = () => worker.host.create(spec, io.signal);
  await worker.room.enter({ attempt, onFull, waitMs: worker.host.limits.roomWaitMs, signal: io.signal });
}

/** Waits until the sandbox can be spoken to. While no machine has room for it, finished sandboxes are let go. */
export async function untilReady(context: BuildContext, io: StepIo, handle: string, worker: StepWorker): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([io.signal, over.signal]);
  let looking = false;
  const onNoRoom = () => {
    if (looking) return;
    looking = true;
    makeRoomUntil(context, worker, signal).catch((error: unknown) => {
      if (!signal.aborted) context.onError(error);
    });
  };
  try {
    const onNotice = (text: string) => void io.notice({ kind: 'message', text });
    await worker.watch.untilReady(handle, io.signal, onNotice, onNoRoom);
  } catch (error) {
    // No process will ever run in it, and it would take room that comes later.
    if (error instanceof HostError && error.code === 'unschedulable') {
      await worker.host.destroy(handle).catch(context.onError);
    }
    throw error;
  } finally {
    over.abort();
  }
}

async function makeRoomUntil(context: BuildContext, worker: StepWorker, signal: AbortSignal): Promise<never> {
  let count = 1;
  let wait = FIRST_LOOK_MS;
  for (;;) {
    await context.clock.sleep(wait, signal);
    const gone = await makeRoom(context, worker, 'reserved', count, signal);
    if (gone > 0) count *= 2;
    wait = gone > 0 ? FIRST_LOOK_MS : Math.min(LONGEST_LOOK_MS, wait * 2);
  }
}
