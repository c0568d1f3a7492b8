import type { Version } from '@seaplane/config';
import type { CheckRequest, ScriptResult, StepIo } from '@seaplane/engine';
import { type BuildContext, placeStep } from './build-context.ts';
import { runResourceScript } from './resource-process.ts';
import { startSharedSandbox } from './sandboxes.ts';
import { parseVersions, scriptInput } from './scripts.ts';

const SCRIPT = '/opt/resource/check';

/** Asks a resource for new versions, in a sandbox that stays warm for the next check of the same type. */
export async function runCheck(
  context: BuildContext,
  io: StepIo,
  request: CheckRequest,
): Promise<ScriptResult<readonly Version[]>> {
  const { worker, image } = await placeStep(context, io, request.image, request);
  const labels = { type: 'check' as const, team: context.build.teamName, step: request.type };
  const sandbox = await startSharedSandbox(context.records, io, {
    worker,
    image,
    labels,
    workingDirectory: '/',
    user: image.user,
  });
  const stdin = scriptInput(request.source, request.from ? { version: request.from } : {});
  const { exitStatus, stdout } = await runResourceScript(io, sandbox, image, request, {
    path: SCRIPT,
    args: [],
    stdin,
  });
  await context.records.sandboxUsed(sandbox.handle);
  return exitStatus === 0 ? { exitStatus, result: parseVersions(SCRIPT, stdout) } : { exitStatus };
}
