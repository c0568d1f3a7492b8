import type { RunInput } from '@seaplane/baggageclaim';
import type { ResolvedResource, StepIo } from '@seaplane/engine';
import { processId } from './identity.ts';
import type { ResolvedImage } from './images.ts';
import { exitStatusOf, runProcess } from './process.ts';
import type { RunningSandbox } from './sandboxes.ts';

export interface ResourceScript {
  readonly path: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly inputs?: readonly RunInput[];
  readonly directories?: readonly string[];
}

/** Runs one of a resource type's scripts: its stderr is the log, its stdout the answer, no terminal, as the image's user. */
export async function runResourceScript(
  io: StepIo,
  sandbox: RunningSandbox,
  image: ResolvedImage,
  resource: ResolvedResource,
  script: ResourceScript,
): Promise<{ exitStatus: number; stdout: string }> {
  const { buildId, planId, attempt } = io.identity;
  const { end, stdout } = await runProcess(io, {
    handle: sandbox.handle,
    client: sandbox.client,
    watch: sandbox.worker.watch,
    collectStdout: true,
    request: {
      id: processId(io.identity),
      attempt: `${buildId}/${planId}/${attempt}`,
      path: script.path,
      args: script.args,
      env: { ...image.env, ...resource.env },
      dir: '/',
      user: image.user,
      tty: null,
      stdin: script.stdin,
      inputs: script.inputs ?? [],
      directories: script.directories ?? [],
    },
  });
  return { exitStatus: exitStatusOf(end), stdout };
}
