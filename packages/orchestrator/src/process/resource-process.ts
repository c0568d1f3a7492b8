import type { RunInput } from '@seaplane/baggageclaim';
import type { ResolvedResource, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { processId } from '../placement/identity.ts';
import type { ResolvedImage } from '../placement/images.ts';
import type { RunningSandbox } from '../placement/sandboxes.ts';
import { exitStatusOf, type ProcessResult, resumeStepProcess, runStepProcess, type StepProcess } from './process.ts';
import { stepProcess } from './step-process.ts';

export interface ResourceScript {
  readonly path: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly inputs?: readonly RunInput[];
  readonly directories?: readonly string[];
}

export interface ScriptEnd {
  readonly exitStatus: number;
  readonly stdout: string;
}

/** Runs a script of a resource type as the image's user, without a terminal. Its stderr is the log, its stdout the answer. */
export async function runResourceScript(
  context: BuildContext,
  io: StepIo,
  sandbox: RunningSandbox,
  image: ResolvedImage,
  resource: ResolvedResource,
  script: ResourceScript,
): Promise<ScriptEnd> {
  const { path, args, stdin, inputs = [], directories = [] } = script;
  const env = { ...image.env, ...resource.env, ...sandbox.worker.proxyEnv };
  const spec = { path, args, env, dir: '/', user: image.user, tty: null, stdin, inputs, directories };
  return endOf(await runStepProcess(io, scriptProcess(context, io, sandbox), spec));
}

/** Follows a script that an earlier web has started. Returns undefined if that web had not started it. */
export async function resumeResourceScript(
  context: BuildContext,
  io: StepIo,
  sandbox: RunningSandbox,
): Promise<ScriptEnd | undefined> {
  const result = await resumeStepProcess(io, scriptProcess(context, io, sandbox));
  return result && endOf(result);
}

function scriptProcess(context: BuildContext, io: StepIo, sandbox: RunningSandbox): StepProcess {
  return stepProcess(context, io, sandbox, { id: processId(io.identity), collectStdout: true });
}

function endOf({ end, stdout }: ProcessResult): ScriptEnd {
  return { exitStatus: exitStatusOf(end), stdout };
}
