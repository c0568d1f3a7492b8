import { assertNever, parseDuration } from '@seaplane/config';
import { OutputLog } from '../output/output-log.ts';
import type { StepIo, StepNotice } from '../seams.ts';
import { newDeadline } from '../walk/deadline.ts';
import { Drained, Interruption } from '../walk/interruption.ts';
import type { StepVisit } from '../walk/step-visit.ts';
import { whenAborted } from '../walk/when-aborted.ts';

export interface ProcessOptions {
  readonly stepName: string;
  /** How long the process may take, counted from the choice of a worker, after its image was fetched. */
  readonly timeout?: string | undefined;
  /** Called when the sandbox is ready and the process begins. */
  readonly onStarting?: () => Promise<void>;
}

/**
 * Runs a leaf's process by a call of the orchestrator, or attaches to the process if an earlier walk started it. When
 * this returns, all of its output is in the log. If the process was interrupted, the interruption is thrown, whatever
 * the orchestrator threw.
 */
export async function attendProcess<T>(
  visit: StepVisit,
  { stepName, timeout, onStarting }: ProcessOptions,
  call: (io: StepIo) => Promise<T>,
): Promise<T> {
  const { seams, build, secrets } = visit.walk;
  const { clock, journal } = seams;
  const limit = timeout ? parseDuration(timeout) : undefined;
  using deadline = newDeadline(clock, new Interruption('timeout', visit.id));
  const sandbox = { planId: visit.id, what: 'sandbox' } as const;
  const placed = await journal.read(sandbox);
  if (placed && limit !== undefined) deadline.passIn(Number(placed['at']) + limit - (await journal.now()));
  if (!placed) visit.ctx.signal.throwIfAborted(); // no process runs that would have to be ended

  const notice = async (sent: StepNotice): Promise<void> => {
    switch (sent.kind) {
      case 'waiting-for-worker':
        await visit.events.emit('waiting-for-worker', {});
        return visit.events.writeLine('stderr', sent.reason);
      case 'selected-worker': {
        const now = limit === undefined ? undefined : await journal.now();
        const chosen = await journal.record(sandbox, { worker: sent.worker, ...(now !== undefined && { at: now }) });
        if (now !== undefined && limit !== undefined) deadline.passIn(Number(chosen['at']) + limit - now);
        return visit.events.emit('selected-worker', { selected_worker: sent.worker });
      }
      case 'streaming': {
        const { artifact: volume, from, to } = sent;
        return visit.events.emit('streaming-volume', { volume, source_worker: from, dest_worker: to });
      }
      case 'waiting-for-stream':
        return visit.events.emit('waiting-for-streamed-volume', { volume: sent.artifact, dest_worker: sent.to });
      case 'starting':
        return onStarting?.();
      case 'message':
        // The sender does not wait. If the write fails, the journal has failed, and that drains the walk.
        return visit.events.writeLine('stderr', sent.text).catch(() => {});
      default:
        return assertNever(sent);
    }
  };

  const output = new OutputLog({ clock, journal, secrets, planId: visit.id });
  const signal = AbortSignal.any([visit.ctx.signal, deadline.signal]);
  const identity = { buildId: build.id, planId: visit.id, attempt: visit.attempts.join('.'), stepName };
  // The signal of a process that is being ended has aborted already and cannot report a drain. A drain does not wait.
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
