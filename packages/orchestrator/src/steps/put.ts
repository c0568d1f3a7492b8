import type { FetchedVersion, PutRequest, ScriptResult, StepIo } from '@seaplane/engine';
import { explainMissing, markUnread } from '../artifacts/inputs.ts';
import { type BuildContext, labelsFor } from '../build-context.ts';
import {
  type OwnSandboxStep,
  type Placement,
  placeStep,
  prepareScriptImage,
  recordPlacement,
} from '../placement/placement.ts';
import { releaseSandbox } from '../placement/release-sandbox.ts';
import { findMade } from '../placement/sandboxes.ts';
import { startWithInputs } from '../placement/start-with-inputs.ts';
import { resumeResourceScript, runResourceScript, type ScriptEnd } from '../process/resource-process.ts';
import { parseFetched, scriptInput } from '../process/scripts.ts';

const SCRIPT = '/opt/resource/out';
const DIRECTORY = '/tmp/build/put';

/** Pushes a new version, with the artifacts of earlier steps as inputs. */
export async function runPut(
  context: BuildContext,
  io: StepIo,
  request: PutRequest,
): Promise<ScriptResult<FetchedVersion>> {
  const inputs = Object.values(request.inputs);
  const step = { type: 'put', image: request.image, tags: request.tags, inputs } as const;
  const place = await placeStep(context, io, step);
  const found = await findMade(context, io, place);
  const run = async () =>
    (found && (await resumeResourceScript(context, io, found))) ?? (await runOut(context, io, step, place, request));
  const { exitStatus, stdout } = await explainMissing(context, io, inputs, run());
  releaseSandbox(context, place);
  return exitStatus === 0 ? { exitStatus, result: parseFetched(SCRIPT, stdout) } : { exitStatus };
}

async function runOut(
  context: BuildContext,
  io: StepIo,
  step: OwnSandboxStep,
  place: Placement,
  request: PutRequest,
): Promise<ScriptEnd> {
  const labels = labelsFor(context.build, io, 'put');
  const { worker, handle } = await recordPlacement(context, io, step, place, { labels, workingDirectory: DIRECTORY });
  const image = await prepareScriptImage(context, io, worker, request.image);
  const needed = Object.entries(request.inputs).map(([name, artifact]) => ({ path: `${DIRECTORY}/${name}`, artifact }));
  const inputs = markUnread(needed, []);
  const { sandbox, loaded } = await startWithInputs(context, io, handle, { worker, image, labels }, inputs);
  return runResourceScript(context, io, sandbox, image, request, {
    path: SCRIPT,
    args: [DIRECTORY],
    stdin: scriptInput(request.source, request.params ? { params: request.params } : {}),
    inputs: loaded,
    directories: [DIRECTORY],
  });
}
