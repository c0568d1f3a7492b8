import { posix } from 'node:path';
import { BUILD_DIRECTORY, type RunInput } from '@seaplane/baggageclaim';
import { type ArtifactRef, Interruption, type StepIo, type TaskRequest, type TaskResult } from '@seaplane/engine';
import { type BuildContext, labelsFor, placeStep } from './build-context.ts';
import { taskDirectory } from './identity.ts';
import { exitStatusOf, runProcess } from './process.ts';
import { startSandbox } from './sandboxes.ts';
import { cacheKeys, filledCaches, saveCaches } from './task-caches.ts';

const PLATFORM = 'linux';
const TERMINAL = { columns: 500, rows: 500 };

/** Runs a task's process in a sandbox of its own, on private copies of its inputs. Its outputs stay, however it ends. */
export async function runTask(context: BuildContext, io: StepIo, request: TaskRequest): Promise<TaskResult> {
  const { worker, image } = await placeStep(context, io, request.image, { tags: request.tags, platform: PLATFORM });

  const directory = taskDirectory(io.identity.stepName);
  const at = (path: string) => posix.resolve(directory, path);
  const inputPaths = request.inputs.map(({ path }) => at(path));
  const outputPaths = request.outputs.map(({ path }) => at(path));
  const cachePaths = request.caches.map(({ path }) => at(path));
  const caches = cacheKeys(io, request, worker).map((key) => ({ key, path: at(key.path) }));
  const user = request.user || image.user;
  const everywhere = [...inputPaths, ...outputPaths, ...cachePaths];
  const [sandbox, inputs] = await Promise.all([
    startSandbox(context.records, io, {
      worker,
      image,
      labels: labelsFor(context.build, io, 'task'),
      workingDirectory: directory,
      user,
      hermetic: request.hermetic,
      ...(request.limits ? { limits: request.limits } : {}),
      mounts: everywhere.filter((path) => !isBelow(path, BUILD_DIRECTORY)),
    }),
    loadable(context, [
      ...request.inputs.map(({ path, artifact }) => ({ path: at(path), artifact })),
      ...(await filledCaches(context, caches)),
    ]),
  ]);
  const { buildId, planId, attempt } = io.identity;
  const ended = runProcess(io, {
    handle: sandbox.handle,
    client: sandbox.client,
    watch: worker.watch,
    collectStdout: false,
    request: {
      id: 'task',
      attempt: `${buildId}/${planId}/${attempt}`,
      path: request.path,
      args: request.args,
      env: { ...image.env, ...request.env },
      dir: at(request.dir ?? '.'),
      user,
      tty: TERMINAL,
      stdin: '',
      inputs,
      directories: [directory, ...outputPaths, ...cachePaths],
    },
  });
  const end = await ended.then(({ end }) => end, interruptionOf(io));
  const outputs: Record<string, ArtifactRef> = {};
  for (const { name, path } of request.outputs) {
    outputs[name] = await context.artifacts.record(worker, sandbox.handle, at(path));
  }
  if (!end) return { outputs };
  await saveCaches(context, io, sandbox, caches);
  return { exitStatus: exitStatusOf(end), outputs };
}

/** Outer directories first, so that one within another is not emptied away. */
function loadable(
  context: BuildContext,
  artifacts: readonly { path: string; artifact: ArtifactRef }[],
): Promise<RunInput[]> {
  return Promise.all(
    artifacts
      .toSorted((a, b) => a.path.localeCompare(b.path))
      .map(async ({ path, artifact }) => ({ path, from: await context.artifacts.sources(artifact) })),
  );
}

/** Swallows the interruption of a process that had started; anything else stays an error. */
function interruptionOf(io: StepIo): (error: unknown) => undefined {
  return (error) => {
    if (error !== io.signal.reason || !(error instanceof Interruption)) throw error;
  };
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
