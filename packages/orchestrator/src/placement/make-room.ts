import type { BuildContext } from '../build-context.ts';
import type { StepWorker } from './workers.ts';

/** Which finished sandboxes may go. */
export type RoomWanted =
  /** The host's quota is used up. It may count sandboxes, or what `release` does not give back. */
  | 'any'
  /** No machine has room. Sandboxes that reserve next to nothing do not help. */
  | 'reserved';

/**
 * Destroys up to `count` sandboxes, so that the host has room for another step of the build: those of the build's steps that
 * have ended, those that are kept of builds that have ended, and then those in which no check runs now. Everything that
 * somebody may still want is copied to the store before. Returns how many sandboxes were destroyed.
 *
 * Killed between any two lines it loses nothing: a sandbox goes only after its artifacts are stored, and the collector
 * destroys a sandbox that was claimed.
 */
export async function makeRoom(
  context: BuildContext,
  worker: StepWorker,
  wanted: RoomWanted,
  count: number,
  signal: AbortSignal,
): Promise<number> {
  const { records, artifacts, build, onError } = context;
  const finished = await records.findFinishedSandboxes(worker.name, build.id);
  const reserving = await reservingFirst(worker, finished, signal);
  let gone = 0;
  for (const { handle, reserves } of reserving) {
    if (gone >= count) break;
    if (wanted === 'reserved' && !reserves) continue;
    try {
      for (const { id, teamId } of await records.findWantedArtifacts(handle))
        await artifacts.keep({ id }, teamId, signal);
      if (!(await records.claimFinishedSandbox(handle))) continue;
      await worker.host.destroy(handle);
      gone++;
    } catch (error) {
      signal.throwIfAborted();
      onError(error); // another sandbox may do
    }
  }
  return gone < count ? gone + (await dropIdleChecks(context, worker, count - gone, signal)) : gone;
}

/** Destroys up to `count` sandboxes that are kept for the next check, the least recently used first. */
async function dropIdleChecks(
  { records, onError }: BuildContext,
  worker: StepWorker,
  count: number,
  signal: AbortSignal,
): Promise<number> {
  let gone = 0;
  for (const handle of await records.findCheckSandboxes(worker.name)) {
    if (gone >= count) break;
    try {
      const dropped = await records.withFreeLock('sandbox', handle, async () => {
        if (!(await records.claimCheckSandbox(handle))) return false;
        await worker.host.destroy(handle);
        return true;
      });
      if (dropped) gone++;
    } catch (error) {
      signal.throwIfAborted();
      onError(error); // another sandbox may do
    }
  }
  return gone;
}

/** Sandboxes that the host can't make smaller come first. */
async function reservingFirst(
  { host }: StepWorker,
  handles: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly handle: string; readonly reserves: boolean }[]> {
  const known = [];
  for (const handle of handles) known.push({ handle, reserves: !(await host.release(handle, signal)) });
  return [...known.filter(({ reserves }) => reserves), ...known.filter(({ reserves }) => !reserves)];
}
