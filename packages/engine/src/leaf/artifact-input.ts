import type { ArtifactInputPlan } from '@seaplane/config';
import { EngineError } from '../engine-error.ts';
import type { ArtifactRef } from '../seams.ts';
import type { BuildWalk } from '../walk/build-walk.ts';
import type { Step } from '../walk/step.ts';
import type { StepPlace } from '../walk/step-visit.ts';
import { leafStep } from './leaf.ts';

/** Makes an upload of `fly execute` an artifact. */
export function artifactInputStep(walk: BuildWalk, place: StepPlace, plan: ArtifactInputPlan): Step {
  return leafStep<{ artifact: ArtifactRef }>(walk, place, {
    work: async () => {
      const artifact = await walk.seams.orchestrator.findUpload(plan.artifact_id);
      if (artifact) return { done: { artifact } };
      throw new EngineError('artifact-missing', `volume for worker artifact '${plan.name}' not found`);
    },
    conclude: async ({ artifact }, { state }) => {
      state.artifacts.set(plan.name, artifact);
      return 'succeeded';
    },
  });
}
