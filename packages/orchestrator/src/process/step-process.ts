import type { StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { attemptId } from '../placement/identity.ts';
import { claimSandbox, type RunningSandbox } from '../placement/sandboxes.ts';
import type { StepProcess } from './process.ts';

/** The process of this step's attempt in its sandbox, for {@link runStepProcess} and {@link resumeStepProcess}. */
export function stepProcess(
  context: BuildContext,
  { identity }: StepIo,
  { handle, client, worker }: RunningSandbox,
  process: Pick<StepProcess, 'id' | 'collectStdout'>,
): StepProcess {
  return {
    clock: context.clock,
    handle,
    client,
    watch: worker.watch,
    claim: (user) => claimSandbox(context, handle, user),
    attempt: attemptId(identity),
    ...process,
  };
}
