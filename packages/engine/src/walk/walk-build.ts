import type { Plan } from '@seaplane/config';
import { isReported } from '../engine-error.ts';
import { guardJournal } from '../journal/guarded-journal.ts';
import { stepEvents } from '../output/step-events.ts';
import type { BuildInfo, BuildOutcome, EngineSeams } from '../seams.ts';
import { newSecrets } from '../secrets/secrets.ts';
import { newBuildState } from './build-state.ts';
import type { BuildWalk } from './build-walk.ts';
import { finalStatus } from './final-status.ts';
import { Drained, Interruption } from './interruption.ts';
import { settle } from './step.ts';
import { stepOfPlan } from './step-of-plan.ts';
import { whenAborted } from './when-aborted.ts';

/** Two ways to stop a walk. They are separate because a build that is being aborted can still be drained. */
export interface BuildSignals {
  /**
   * Somebody aborted the build: running processes are ended, hooks run, and the build ends as aborted. If an earlier
   * walk saw the abort, the signal must be aborted from the start.
   */
  readonly abort: AbortSignal;
  /** This web lets go of the build: everything is left as it is, and {@link Drained} is thrown. */
  readonly drain: AbortSignal;
}

/**
 * Walks a build's plan from its top and returns how the build ended. The journal makes the walk end where an earlier
 * one did: finished steps do not run again, running processes are attached to, and no event is written twice. So after
 * a crash, or after a drain or a failing journal (both throw {@link Drained}), call this again, in this web or another,
 * but never twice at the same time.
 *
 * No `status` event is written here. The caller writes it in the transaction that marks the build as finished.
 */
export async function walkBuild(
  seams: EngineSeams,
  build: BuildInfo,
  plan: Plan,
  signals: BuildSignals,
): Promise<BuildOutcome> {
  const drain = new AbortController();
  const letGo = (reason: Drained): Drained => {
    drain.abort(reason);
    return drain.signal.reason;
  };
  const abort = new AbortController();
  using _abort = whenAborted(signals.abort, () => abort.abort(new Interruption('abort')));
  using _drain = whenAborted(signals.drain, () => letGo(new Drained()));

  const journal = guardJournal(seams.journal, drain.signal, letGo);
  const walk: BuildWalk = {
    seams: { ...seams, journal },
    build,
    secrets: newSecrets({ redact: seams.redactSecrets ?? true }),
    letGo,
    stepOf: (subplan, attempts) => stepOfPlan(walk, subplan, attempts),
  };
  const ctx = { signal: AbortSignal.any([abort.signal, drain.signal]), drain: drain.signal };
  const result = await settle(walk.stepOf(plan, [])(ctx, newBuildState()));
  if ('error' in result && !(result.error instanceof Interruption) && !isReported(result.error)) {
    // No step has reported the error: the plan cannot be run, or this is a defect of the engine.
    await stepEvents(walk, plan.id).emit('error', {
      message: walk.secrets.redact(result.error.message),
    });
  }
  return { status: finalStatus(result) };
}
