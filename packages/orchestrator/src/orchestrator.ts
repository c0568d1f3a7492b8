import { type ArtifactRef, type BuildInfo, Drained, type Orchestrator, type StepIo } from '@seaplane/engine';
import type { BuildContext, OrchestratorContext } from './build-context.ts';
import { sandboxHandle } from './placement/identity.ts';
import type { OwnSandboxStep } from './placement/placement.ts';
import { type RerunRule, rerunWhenLost } from './placement/rerun.ts';
import { limitsFor } from './placement/strategies.ts';
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
  const taskRule = context.placement.settings.rerunStartedTasks ? 'always' : 'unless-started';
  const inOwnSandbox = <T>(
    io: StepIo,
    type: OwnSandboxStep['type'],
    rule: RerunRule,
    run: (io: StepIo) => Promise<T>,
  ) => rerunWhenLost(own, io, type, rule, (each) => makeWay(own, each, type, run(each)));
  return {
    check: (io, request) => runCheck(own, io, request),
    get: (io, request) => inOwnSandbox(io, 'get', 'always', (each) => runGet(own, each, request)),
    put: (io, request) => inOwnSandbox(io, 'put', 'unless-started', (each) => runPut(own, each, request)),
    task: (io, request) => inOwnSandbox(io, 'task', taskRule, (each) => runTask(own, each, request)),
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

/**
 * Records the end of a step's run in its sandbox and wakes steps that wait for a worker with room, where the operator limits
 * what a worker has. If that fails, the waiting steps go on a little later: when the end of the step is in the journal.
 */
async function makeWay<T>(
  { placement, records, onError }: BuildContext,
  { identity, signal }: StepIo,
  type: OwnSandboxStep['type'],
  step: Promise<T>,
): Promise<T> {
  if (Object.keys(limitsFor(placement.settings, type)).length === 0) return step;
  try {
    return await step;
  } finally {
    if (!(signal.reason instanceof Drained)) {
      await records.markStepEnded(sandboxHandle(identity, type)).catch(onError);
      placement.changes.announce();
    }
  }
}

const PUBLISH_TIMEOUT_MS = 600_000;
