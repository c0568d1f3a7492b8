import type { FetchedVersion, PutRequest, ScriptResult, StepIo } from '@seaplane/engine';
import { type BuildContext, labelsFor, placeStep } from './build-context.ts';
import { runResourceScript } from './resource-process.ts';
import { startSandbox } from './sandboxes.ts';
import { parseFetched, scriptInput } from './scripts.ts';

const SCRIPT = '/opt/resource/out';
const DIRECTORY = '/tmp/build/put';

/** Pushes a new version from what earlier steps made. */
export async function runPut(
  context: BuildContext,
  io: StepIo,
  request: PutRequest,
): Promise<ScriptResult<FetchedVersion>> {
  const { worker, image } = await placeStep(context, io, request.image, request);
  const labels = labelsFor(context.build, io, 'put');
  const place = { worker, image, labels, workingDirectory: DIRECTORY, user: image.user };
  const [sandbox, inputs] = await Promise.all([
    startSandbox(context.records, io, place),
    Promise.all(
      Object.entries(request.inputs).map(async ([name, artifact]) => ({
        path: `${DIRECTORY}/${name}`,
        from: await context.artifacts.sources(artifact),
      })),
    ),
  ]);
  const { exitStatus, stdout } = await runResourceScript(io, sandbox, image, request, {
    path: SCRIPT,
    args: [DIRECTORY],
    stdin: scriptInput(request.source, request.params ? { params: request.params } : {}),
    inputs,
    directories: [DIRECTORY],
  });
  return exitStatus === 0 ? { exitStatus, result: parseFetched(SCRIPT, stdout) } : { exitStatus };
}
