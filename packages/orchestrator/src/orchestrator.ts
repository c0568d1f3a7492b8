import type { ArtifactRef, BuildInfo, Orchestrator } from '@seaplane/engine';
import type { BuildContext, OrchestratorContext } from './build-context.ts';
import { runCheck } from './steps/check.ts';
import { runGet } from './steps/get.ts';
import { runPut } from './steps/put.ts';
import { runTask } from './steps/task.ts';

/** Runs the steps of one build on sandboxes. */
export function orchestratorFor(
  context: OrchestratorContext,
  build: BuildInfo,
  pen: BuildContext['pen'],
): Orchestrator {
  const own: BuildContext = { ...context, build, pen };
  return {
    check: (io, request) => runCheck(own, io, request),
    get: (io, request) => runGet(own, io, request),
    put: (io, request) => runPut(own, io, request),
    task: (io, request) => runTask(own, io, request),
    readFile: (artifact, path, maxBytes, signal) =>
      context.artifacts.readFile(artifact, build.id, path, maxBytes, signal),
    findUpload: async (number): Promise<ArtifactRef | undefined> => {
      const id = await context.records.findUploadedArtifact(number, build);
      return id === undefined ? undefined : { id };
    },
    publish: async (buildId, name, artifact) => {
      await context.artifacts.keep(artifact, build.teamId, AbortSignal.timeout(PUBLISH_TIMEOUT_MS));
      await context.records.publishArtifact(buildId, name, artifact.id);
    },
  };
}

const PUBLISH_TIMEOUT_MS = 600_000;
