import { parseDuration } from '@seaplane/config';
import { newDeadline } from '../deadline.ts';
import { Drained, Interruption } from '../interruption.ts';
import { OutputLog } from '../output-log.ts';
import type { StepIo, StepNotice } from '../seams.ts';
import type { StepRun } from '../step-run.ts';
import { whenAborted } from '../when-aborted.ts';

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
export async function runProcess<T>(
  at: StepRun,
  { stepName, timeout, onStarting }: ProcessOptions,
  call: (io: StepIo) => Promise<T>,
): Promise<T> {
  const { seams, build, secrets } = at.run;
  const { clock, journal } = seams;
  const limit = timeout ? parseDuration(timeout) : Number.POSITIVE_INFINITY;
  using deadline = newDeadline(clock, new Interruption('timeout', at.id));
  const sandbox = { planId: at.id, what: 'sandbox' } as const;
  const placed = await journal.read(sandbox);
  if (placed) deadline.set(Number(placed['at']) + limit);
  else at.ctx.signal.throwIfAborted(); // there is nothing to end

  const notice = async (told: StepNotice): Promise<void> => {
    switch (told.kind) {
      case 'waiting-for-worker':
        return at.events.emit('waiting-for-worker', {});
      case 'selected-worker': {
        const chosen = await journal.record(sandbox, { worker: told.worker, at: clock.now().getTime() });
        deadline.set(Number(chosen['at']) + limit);
        return at.events.emit('selected-worker', { selected_worker: told.worker });
      }
      case 'starting':
        return onStarting?.();
      case 'message':
        // Told in passing, by somebody who does not wait: if it fails, the walk has ended and everyone knows.
        return at.events.line('stderr', told.text).catch(() => {});
      default:
        return told satisfies never;
    }
  };

  const output = new OutputLog({ clock, journal, secrets, planId: at.id });
  const signal = AbortSignal.any([at.ctx.signal, deadline.signal]);
  const identity = { buildId: build.id, planId: at.id, attempt: at.attempts.join('.'), stepName };
  // One that is being ended is told nothing more by its signal. A drain does not wait for it.
  const letGo = Promise.withResolvers<never>();
  using _drain = whenAborted(at.ctx.drain, () => {
    if (signal.aborted && !(signal.reason instanceof Drained)) letGo.reject(at.ctx.drain.reason);
  });
  try {
    return await Promise.race([call({ identity, signal, output, notice }), letGo.promise]);
  } catch (error) {
    throw signal.aborted && !(error instanceof Drained) ? signal.reason : error;
  } finally {
    if (!at.ctx.drain.aborted) await output.flush();
    output.close();
  }
}
