import type { BuildInfo, Clock, StepIo } from '@seaplane/engine';
import type { Artifacts } from './artifacts/artifacts.ts';
import type { SandboxLabels } from './host/sandbox-host.ts';
import type { PlacementPolicy } from './placement/placement-policy.ts';
import type { StepWorker } from './placement/workers.ts';
import type { BuildPen, Records } from './records.ts';

/** Everything that running a step needs. All builds share it. */
export interface OrchestratorContext {
  readonly records: Records;
  readonly artifacts: Artifacts;
  readonly workers: () => readonly StepWorker[];
  readonly placement: PlacementPolicy;
  readonly clock: Clock;
  /** Called with errors of work that no step waits for. */
  readonly onError: (error: unknown) => void;
}

/** The context of one build's steps. */
export interface BuildContext extends OrchestratorContext {
  readonly build: BuildInfo;
  /** The pen that this web has, or had: another web may have taken the build over. */
  readonly pen: () => Promise<BuildPen>;
}

/** The labels of a step's sandbox, for people and for finding it again. */
export function labelsFor(build: BuildInfo, io: StepIo, type: SandboxLabels['type']): SandboxLabels {
  const { attempt, stepName } = io.identity;
  return {
    type,
    team: build.teamName,
    step: stepName,
    ...(build.pipelineName ? { pipeline: build.pipelineName } : {}),
    ...(build.jobName ? { job: build.jobName } : {}),
    build: build.name,
    buildId: build.id,
    ...(attempt ? { attempt } : {}),
  };
}
