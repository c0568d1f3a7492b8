import type { ArtifactInputPlan } from '@seaplane/config';
import type { BuildRun } from '../build-run.ts';
import { EngineError } from '../engine-error.ts';
import type { ArtifactRef } from '../seams.ts';
import type { Step } from '../step.ts';
import type { StepPlace } from '../step-run.ts';
import { leafStep } from './leaf.ts';

/** Takes what `fly execute` uploaded for an artifact. */
export function artifactInputStep(run: BuildRun, place: StepPlace, plan: ArtifactInputPlan): Step {
  return leafStep<{ artifact: ArtifactRef }>(run, place, {
    work: async () => {
      const artifact = await run.seams.orchestrator.uploaded(plan.artifact_id);
      if (artifact) return { done: { artifact } };
      throw new EngineError('artifact-missing', `volume for worker artifact '${plan.name}' not found`);
    },
    conclude: async ({ artifact }, { state }) => {
      state.artifacts.set(plan.name, artifact);
      return 'succeeded';
    },
  });
}
