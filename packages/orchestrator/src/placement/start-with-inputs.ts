import type { RunInput } from '@seaplane/baggageclaim';
import type { StepIo } from '@seaplane/engine';
import { findInputs, type NeededInput } from '../artifacts/inputs.ts';
import type { BuildContext } from '../build-context.ts';
import { type RunningSandbox, type SandboxRequest, startSandbox } from './sandboxes.ts';

/** A sandbox that took longer to start has waited for something. */
const LATE_MS = 10_000;

/**
 * Starts the sandbox and finds its inputs meanwhile. If the sandbox had to wait, the inputs are found again: the sandboxes
 * that had them may have made room, and the right to read them may have expired.
 */
export async function startWithInputs(
  context: BuildContext,
  io: StepIo,
  handle: string,
  request: SandboxRequest,
  needed: readonly NeededInput[],
): Promise<{ readonly sandbox: RunningSandbox; readonly loaded: readonly RunInput[] }> {
  const began = context.clock.elapsedMs();
  const find = () => findInputs(context, io, request.worker, needed);
  const [sandbox, loaded] = await Promise.all([startSandbox(context, io, handle, request), find()]);
  const late = context.clock.elapsedMs() - began > LATE_MS;
  return { sandbox, loaded: late ? await find() : loaded };
}
