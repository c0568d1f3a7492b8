import { BaggageclaimError } from '@seaplane/baggageclaim';
import type { Version } from '@seaplane/config';
import { type CheckRequest, Drained, type ScriptResult, type StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { checkKeepsFiles } from '../host/base-types.ts';
import { SandboxFailure } from '../host/host-error.ts';
import { processId } from '../placement/identity.ts';
import { prepareScriptImage } from '../placement/placement.ts';
import { MOST_RERUNS, wasTaken } from '../placement/rerun.ts';
import {
  type RunningSandbox,
  type SharedSandboxRequest,
  sharedHandle,
  startSharedSandbox,
} from '../placement/sandboxes.ts';
import { untilTaken } from '../placement/worker-choice.ts';
import { runResourceScript, type ScriptEnd } from '../process/resource-process.ts';
import { parseVersions, scriptInput } from '../process/scripts.ts';

const SCRIPT = '/opt/resource/check';
const FORGET_TIMEOUT_MS = 30_000;
/** How often a running check records that its sandbox is in use. A sandbox without that is retired after minutes. */
const IN_USE_MS = 60_000;

/**
 * Asks a resource for new versions, in a sandbox that is kept for the next check: of the same configuration or, if the type
 * keeps no files, of the same type. A check that loses its sandbox to a drained or lost node is made again, perhaps on
 * another worker.
 */
export async function runCheck(
  context: BuildContext,
  io: StepIo,
  request: CheckRequest,
): Promise<ScriptResult<readonly Version[]>> {
  for (let reruns = 0; ; reruns++) {
    try {
      return await checkSomewhere(context, io, request);
    } catch (error) {
      if (io.signal.aborted || reruns === MOST_RERUNS || !wasTaken(error)) throw error;
      await io.notice({ kind: 'message', text: `${(error as Error).message}: the check is made again` });
    }
  }
}

async function checkSomewhere(
  context: BuildContext,
  io: StepIo,
  request: CheckRequest,
): Promise<ScriptResult<readonly Version[]>> {
  const { image: asked, tags, resource } = request;
  const type = resource === undefined ? 'image-check' : 'check';
  // Checks of one resource stay on one worker, whose sandbox for them is warm.
  const key = String(request.config);
  const worker = await untilTaken(context, io, { type, image: asked, tags, key }, async (candidate) => candidate);
  const image = await prepareScriptImage(context, io, worker, asked);
  const labels = { type: 'check' as const, team: context.build.teamName, step: request.type };
  const checkOf = resource === undefined ? {} : { checkOf: context.build.id };
  const wanted = { worker, image, labels, workingDirectory: '/', user: image.user, ...checkOf };
  const { exitStatus, stdout } =
    asked.kind === 'base-type' && !checkKeepsFiles(asked.type)
      ? await checkIn(context, io, wanted, request)
      : await checkInTurn(context, io, { ...wanted, config: request.config }, request);
  return exitStatus === 0 ? { exitStatus, result: parseVersions(SCRIPT, stdout) } : { exitStatus };
}

/** Equal resources of several pipelines share the sandbox. The files of one check must not change under another. */
function checkInTurn(
  context: BuildContext,
  io: StepIo,
  wanted: SharedSandboxRequest,
  request: CheckRequest,
): Promise<ScriptEnd> {
  const check = () => checkIn(context, io, wanted, request);
  return context.records.withLock('sandbox', sharedHandle(wanted), io.signal, async () => {}, check);
}

async function checkIn(
  context: BuildContext,
  io: StepIo,
  wanted: SharedSandboxRequest,
  request: CheckRequest,
): Promise<ScriptEnd> {
  const { watch, host } = wanted.worker;
  const handle = sharedHandle(wanted);
  const warm = watch.mayHave(handle);
  try {
    return await checkOnce(context, io, wanted, request);
  } catch (error) {
    // Other checks had the sandbox before. It went away, or does not trust this web: the resource is not to blame.
    if (!warm || io.signal.aborted || !isUseless(error)) throw error;
    if (error instanceof BaggageclaimError) await host.destroy(handle);
    return checkOnce(context, io, wanted, request);
  }
}

async function checkOnce(
  context: BuildContext,
  io: StepIo,
  wanted: SharedSandboxRequest,
  request: CheckRequest,
): Promise<ScriptEnd> {
  const { records } = context;
  const sandbox = await startSharedSandbox(context, io, wanted);
  const over = new AbortController();
  void recordUses(context, sandbox.handle, over.signal);
  try {
    return await runResourceScript(context, io, sandbox, wanted.image, request, {
      path: SCRIPT,
      args: [],
      stdin: scriptInput(request.source, request.from ? { version: request.from } : {}),
    });
  } finally {
    over.abort();
    await records.recordSandboxUse(sandbox.handle);
    if (!(io.signal.reason instanceof Drained)) forget(io, sandbox);
  }
}

/** Records again and again that the sandbox is in use, until the signal. */
async function recordUses({ clock, records }: BuildContext, handle: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(IN_USE_MS, signal).catch(() => {});
    if (!signal.aborted) await records.recordSandboxUse(handle).catch(() => {});
  }
}

/** Deletes the process's files, so that the sandbox does not fill up with what checks leave. */
function forget({ identity }: StepIo, { client }: RunningSandbox): void {
  client.forget(processId(identity), AbortSignal.timeout(FORGET_TIMEOUT_MS)).catch(() => {}); // the files go with the sandbox
}

/** Whether the sandbox is to blame, and another one may work. */
function isUseless(error: unknown): boolean {
  if (error instanceof SandboxFailure) return true;
  return error instanceof BaggageclaimError && ['unauthorized', 'other-protocol', 'untrusted'].includes(error.code);
}
