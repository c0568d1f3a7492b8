import { EngineError } from '../engine-error.ts';
import type { BuildWalk } from '../walk/build-walk.ts';
import type { Step } from '../walk/step.ts';
import type { StepPlace } from '../walk/step-visit.ts';
import { leafStep } from './leaf.ts';

/** Keeps an artifact so that `fly execute` can download it. */
export function artifactOutputStep(walk: BuildWalk, place: StepPlace, { name }: { readonly name: string }): Step {
  return leafStep(walk, place, {
    work: async ({ state }) => {
      const artifact = state.artifacts.get(name);
      if (!artifact) throw new EngineError('artifact-missing', `artifact '${name}' not found`);
      await walk.seams.orchestrator.publish(walk.build.id, name, artifact);
      return { done: {} };
    },
    conclude: async () => 'succeeded',
  });
}
