import { posix } from 'node:path';
import { BUILD_DIRECTORY } from '@seaplane/baggageclaim';
import { type ArtifactRef, Interruption, type StepIo, type TaskRequest, type TaskResult } from '@seaplane/engine';
import { explainMissing, isBelow, markUnread } from '../artifacts/inputs.ts';
import { findFilledCaches, saveCaches, type TaskCache, taskCaches } from '../artifacts/task-caches.ts';
import { type BuildContext, labelsFor } from '../build-context.ts';
import { taskDirectory } from '../placement/identity.ts';
import {
  type OwnSandboxStep,
  type Placement,
  placeStep,
  prepareImage,
  recordPlacement,
} from '../placement/placement.ts';
import { releaseSandbox } from '../placement/release-sandbox.ts';
import { findMade, type RunningSandbox } from '../placement/sandboxes.ts';
import { startWithInputs } from '../placement/start-with-inputs.ts';
import {
  exitStatusOf,
  type ProcessResult,
  resumeStepProcess,
  runStepProcess,
  type StepProcess,
} from '../process/process.ts';
import { stepProcess } from '../process/step-process.ts';

const TERMINAL = { columns: 500, rows: 500 };

/** Runs a task's process in a sandbox of its own, on private copies of its inputs. Its outputs are kept however it ends. */
export async function runTask(context: BuildContext, io: StepIo, request: TaskRequest): Promise<TaskResult> {
  const inputs = request.inputs.map(({ artifact }) => artifact);
  const step = stepToPlace(io, request);
  const chosen = await placeStep(context, io, step);
  const at = (path: string) => posix.resolve(taskDirectory(io.identity.stepName), path);
  const found = await findMade(context, io, chosen);
  const row = { labels: labelsFor(context.build, io, 'task'), workingDirectory: at('.') };
  const place = found ? chosen : await recordPlacement(context, io, step, chosen, row);
  const { worker, handle } = place;
  const caches = taskCaches(io, request, worker, at);
  const run = async () => {
    const resumed = found && (await swallowInterruption(io, resumeStepProcess(io, taskProcess(context, io, found))));
    return resumed ?? (await start(context, io, place, request, at, caches));
  };
  const { end } = await explainMissing(context, io, inputs, run());

  const outputs: Record<string, ArtifactRef> = {};
  for (const { name, path } of request.outputs) {
    outputs[name] = await context.artifacts.record(worker, handle, at(path));
  }
  releaseSandbox(context, place);
  if (!end) return { outputs };
  await saveCaches(context, io, place, caches);
  return { exitStatus: exitStatusOf(end), outputs };
}

function stepToPlace(
  { identity: { stepName } }: StepIo,
  { image, platform, tags, inputs, caches, cacheOwner }: TaskRequest,
): OwnSandboxStep {
  const paths = caches.map(({ path }) => path);
  return {
    type: 'task',
    image,
    platform,
    tags,
    inputs: inputs.map(({ artifact }) => artifact),
    ...(cacheOwner ? { caches: { jobId: cacheOwner.jobId, stepName, paths } } : {}),
  };
}

async function start(
  context: BuildContext,
  io: StepIo,
  { worker, handle }: Placement,
  request: TaskRequest,
  at: (path: string) => string,
  caches: readonly TaskCache[],
): Promise<TaskEnd> {
  const image = await prepareImage(context, io, worker, request.image);
  const made = [...request.outputs, ...request.caches].map(({ path }) => at(path));
  const needed = request.inputs.map(({ path, artifact }) => ({ path: at(path), artifact }));
  const inputs = markUnread(needed, made);
  // An output may have the path of an input: both are one volume.
  const everywhere = [...new Set([...inputs.map(({ path }) => path), ...made])];
  const user = request.user || image.user;
  const filled = await findFilledCaches(context, io, worker, caches);
  const wanted = {
    worker,
    image,
    labels: labelsFor(context.build, io, 'task'),
    hermetic: request.hermetic,
    ...(request.limits ? { limits: request.limits } : {}),
    mounts: everywhere.filter((path) => !isBelow(path, BUILD_DIRECTORY)),
  };
  const { sandbox, loaded } = await startWithInputs(context, io, handle, wanted, [...inputs, ...filled]);
  const running = runStepProcess(io, taskProcess(context, io, sandbox), {
    path: request.path,
    args: request.args,
    env: { ...image.env, ...request.env, ...worker.proxyEnv },
    dir: at(request.dir ?? '.'),
    user,
    tty: TERMINAL,
    stdin: '',
    inputs: loaded,
    directories: [at('.'), ...made],
  });
  return swallowInterruption(io, running);
}

function taskProcess(context: BuildContext, io: StepIo, sandbox: RunningSandbox): StepProcess {
  return stepProcess(context, io, sandbox, { id: 'task', collectStdout: false });
}

/** How the process ended. An interrupted process has no end. */
interface TaskEnd {
  readonly end?: ProcessResult['end'];
}

/** Turns the interruption of a started process into a missing end. Any other error is thrown. */
function swallowInterruption<R extends ProcessResult | undefined>(
  io: StepIo,
  running: Promise<R>,
): Promise<TaskEnd | Exclude<R, ProcessResult>> {
  return running.then(
    (result) => result as TaskEnd | Exclude<R, ProcessResult>,
    (error: unknown) => {
      if (error !== io.signal.reason || !(error instanceof Interruption)) throw error;
      return {};
    },
  );
}
