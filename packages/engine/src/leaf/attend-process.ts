import { assertNever, parseDuration } from '@seaplane/config';
import { OutputLog } from '../output/output-log.ts';
import type { StepIo, StepNotice } from '../seams.ts';
import { newDeadline } from '../walk/deadline.ts';
import { Drained, Interruption } from '../walk/interruption.ts';
import type { StepVisit } from '../walk/step-visit.ts';
import { whenAborted } from '../walk/when-aborted.ts';

export interface ProcessOptions {
  readonly stepName: string;
  /** How long it may take from the choice of a worker on: its container and process, not its image. */
  readonly timeout?: string | undefined;
  /** Its container is there, its process begins. */
  readonly onStarting?: () => Promise<void>;
}

/**
 * Runs a leaf's process by a call of the orchestrator, and attaches to it when an earlier walk started it. Afterwards
 * all of its output is in the log. If it was interrupted, the interruption is thrown whatever the orchestrator threw.
 */
export async function attendProcess<T>(
  visit: StepVisit,
  { stepName, timeout, onStarting }: ProcessOptions,
  call: (io: StepIo) => Promise<T>,
): Promise<T> {
  const { seams, build, secrets } = visit.walk;
  const { clock, journal } = seams;
  const limit = timeout ? parseDuration(timeout) : Number.POSITIVE_INFINITY;
  using deadline = newDeadline(clock, new Interruption('timeout', visit.id));
  const sandbox = { planId: visit.id, what: 'sandbox' } as const;
  const placed = await journal.read(sandbox);
  if (placed) deadline.set(Number(placed['at']) + limit);
  else visit.ctx.signal.throwIfAborted(); // there is nothing to end

  const notice = async (told: StepNotice): Promise<void> => {
    switch (told.kind) {
      case 'selected-worker': {
        const chosen = await journal.record(sandbox, { worker: told.worker, at: clock.now().getTime() });
        deadline.set(Number(chosen['at']) + limit);
        return visit.events.emit('selected-worker', { selected_worker: told.worker });
      }
      case 'starting':
        return onStarting?.();
      case 'message':
        // Told in passing, by somebody who does not wait: if it fails, the walk has ended and everyone knows.
        return visit.events.writeLine('stderr', told.text).catch(() => {});
      default:
        return assertNever(told);
    }
  };

  const output = new OutputLog({ clock, journal, secrets, planId: visit.id });
  const signal = AbortSignal.any([visit.ctx.signal, deadline.signal]);
  const identity = { buildId: build.id, planId: visit.id, attempt: visit.attempts.join('.'), stepName };
  // One that is being ended is told nothing more by its signal. A drain does not wait for it.
  const letGo = Promise.withResolvers<never>();
  using _drain = whenAborted(visit.ctx.drain, () => {
    if (signal.aborted && !(signal.reason instanceof Drained)) letGo.reject(visit.ctx.drain.reason);
  });
  try {
    return await Promise.race([call({ identity, signal, output, notice }), letGo.promise]);
  } catch (error) {
    throw signal.aborted && !(error instanceof Drained) ? signal.reason : error;
  } finally {
    if (!visit.ctx.drain.aborted) await output.flush();
    output.close();
  }
}
