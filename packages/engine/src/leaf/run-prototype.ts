import type { RunPlan } from '@seaplane/config';
import type { BuildWalk } from '../walk/build-walk.ts';
import type { Step } from '../walk/step.ts';
import type { StepPlace } from '../walk/step-visit.ts';
import { leafStep } from './leaf.ts';

const NOT_YET = '\u001b[1;33mthe run step is not yet implemented\u001b[0m\n';

/** Pretends to send a message to a prototype. Concourse does no more than that, either. */
export function runPrototypeStep(walk: BuildWalk, place: StepPlace, { message, type }: RunPlan): Step {
  return leafStep(walk, place, {
    work: async ({ events }) => {
      await events.emit('initialize', {});
      await events.writeLine('stderr', NOT_YET);
      await events.emit('start', {});
      await events.writeLine('stderr', `\u001b[1;34mpretending to run ${message} on prototype ${type}...\u001b[0m`);
      return { done: {} };
    },
    conclude: async (_done, { events }) => {
      await events.emit('finish', { succeeded: true });
      return 'succeeded';
    },
  });
}
