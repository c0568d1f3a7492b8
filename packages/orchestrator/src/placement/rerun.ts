import type { StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { type HostErrorCode, SandboxFailure } from '../host/host-error.ts';
import { sandboxHandle } from './identity.ts';
import { mayHaveStarted, type OwnSandboxStep } from './placement.ts';

/** A step that has lost its sandbox more often errors: something on the host takes its sandboxes away. */
export const MOST_RERUNS = 3;

/** The sandbox does not run any more, and the step is not to blame. */
const TAKEN: ReadonlySet<HostErrorCode> = new Set(['evicted', 'node-lost', 'deleted']);

/** When a step may run again after it has lost its sandbox. */
export type RerunRule =
  /** Its process does no harm if it runs twice. */
  | 'always'
  /** Only if its process was not started. */
  | 'unless-started';

/**
 * Runs a step, and again in another sandbox, perhaps on another worker, if it has lost its own to a drained or lost node and
 * may run again. The records hold the sandbox of each run, so a web that takes over goes on with the last one.
 */
export async function rerunWhenLost<T>(
  context: BuildContext,
  io: StepIo,
  type: OwnSandboxStep['type'],
  rule: RerunRule,
  run: (io: StepIo) => Promise<T>,
): Promise<T> {
  for (let rerun = await lastRerun(context, io, type); ; rerun++) {
    const own = rerun === 0 ? io : { ...io, identity: { ...io.identity, rerun } };
    try {
      return await run(own);
    } catch (error) {
      if (io.signal.aborted || rerun === MOST_RERUNS || !wasTaken(error)) throw error;
      if (!(await letGo(context, sandboxHandle(own.identity, type), rule))) throw error;
      const text = `${(error as Error).message}: the step runs again (${rerun + 1} of at most ${MOST_RERUNS} times)`;
      await io.notice({ kind: 'message', text });
    }
  }
}

/** Whether the error is the loss of a sandbox to its host. */
export function wasTaken(error: unknown): boolean {
  return error instanceof SandboxFailure && TAKEN.has(error.code);
}

/** The number of the last run that the records hold. */
async function lastRerun({ records }: BuildContext, { identity }: StepIo, type: string): Promise<number> {
  let last = 0;
  while (last < MOST_RERUNS && (await records.findSandbox(sandboxHandle({ ...identity, rerun: last + 1 }, type))))
    last++;
  return last;
}

/** Ends a lost sandbox for good, in case its node comes back. Returns false if the step may not run again. */
async function letGo(context: BuildContext, handle: string, rule: RerunRule): Promise<boolean> {
  const { records, workers, onError } = context;
  const known = await records.findSandbox(handle);
  if (known && mayHaveStarted(known) && rule !== 'always') return false;
  await records.markStepEnded(handle);
  const worker = workers().find(({ name }) => name === known?.worker);
  worker?.host.destroy(handle).catch(onError);
  return true;
}
