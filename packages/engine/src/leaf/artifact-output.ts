import type { BuildRun } from '../build-run.ts';
import { EngineError } from '../engine-error.ts';
import type { Step } from '../step.ts';
import type { StepPlace } from '../step-run.ts';
import { leafStep } from './leaf.ts';

/** Keeps an artifact so that `fly execute` can download it. */
export function artifactOutputStep(run: BuildRun, place: StepPlace, { name }: { readonly name: string }): Step {
  return leafStep(run, place, {
    work: async ({ state }) => {
      const artifact = state.artifacts.get(name);
      if (!artifact) throw new EngineError('artifact-missing', `artifact '${name}' not found`);
      await run.seams.orchestrator.publish(run.build.id, name, artifact);
      return { done: {} };
    },
    conclude: async () => 'succeeded',
  });
}
