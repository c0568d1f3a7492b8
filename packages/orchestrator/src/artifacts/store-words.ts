import { BaggageclaimError } from '@seaplane/baggageclaim';
import { OrchestratorError } from '../orchestrator-error.ts';
import type { StepWorker } from '../placement/workers.ts';

/** Says in words for users that the limits of the worker's store do not allow something. */
export async function inWords<T>({ name }: StepWorker, kept: Promise<T>): Promise<T> {
  try {
    return await kept;
  } catch (error) {
    if (!(error instanceof BaggageclaimError)) throw error;
    if (error.code === 'too-large') {
      const message = `the store of the worker ${name} does not keep this: ${error.message}`;
      throw new OrchestratorError('artifact-too-large', message, { cause: error });
    }
    if (error.code !== 'full') throw error;
    const message =
      `the store of the worker ${name} is full: ${error.message}. ` +
      'Artifacts leave the store when no build needs them; the operator of the worker can give it more room';
    throw new OrchestratorError('store-full', message, { cause: error });
  }
}
