import type { BaggageclaimClient, ProcessEnd, RunRequest } from '@seaplane/baggageclaim';
import { Drained, type StepIo } from '@seaplane/engine';
import { OrchestratorError } from './orchestrator-error.ts';
import type { SandboxWatch } from './sandbox-watch.ts';

export interface StepProcess {
  readonly handle: string;
  readonly client: BaggageclaimClient;
  readonly watch: SandboxWatch;
  readonly request: RunRequest;
  /**
   * A script's stdout is its answer and is collected, not logged; a task's is its log. A collected stream is read from
   * its beginning also after a restart.
   */
  readonly collectStdout: boolean;
}

export interface ProcessResult {
  readonly end: Exclude<ProcessEnd, { kind: 'not-started' | 'interrupted' }>;
  readonly stdout: string;
}

/**
 * Starts a process, or finds it started, and follows it to its exit record. An interruption stops it (TERM, then KILL)
 * and its last words are still logged; then the signal's reason is thrown. When this web is drained the process is left
 * alone. A sandbox that is lost meanwhile is an error that names the cause: only an exit record says how a step ended.
 */
export async function runProcess(io: StepIo, step: StepProcess): Promise<ProcessResult> {
  const over = new AbortController();
  const lost = step.watch.untilLost(step.handle, over.signal, (text) => void io.notice({ kind: 'message', text }));
  lost.catch(() => {});
  try {
    // Nothing is started for a step that is to end; what an earlier web started is followed to its end.
    if (!io.signal.aborted) await withLoss(step.client.run(step.request, io.signal), lost);
    // Not before: who sees that a step runs may want to look into it.
    await io.notice({ kind: 'starting' });
    return await withLoss(followProcess(io, step, over), lost);
  } finally {
    over.abort(new Error('the step is over'));
  }
}

async function followProcess(io: StepIo, step: StepProcess, over: AbortController): Promise<ProcessResult> {
  const { id, attempt } = step.request;
  // A process that is to stop is told so by a request; its output and record still come, on a signal of their own.
  const onAbort = () => {
    if (io.signal.reason instanceof Drained) over.abort(io.signal.reason);
    else step.client.signal({ id, signal: 'stop' }, over.signal).catch(() => {});
  };
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (io.signal.aborted) onAbort();
  try {
    const logged = await io.output.position();
    const from = { stdout: step.collectStdout ? 0 : logged.stdout, stderr: logged.stderr };
    const collected: Uint8Array[] = [];
    for await (const item of step.client.output({ id, attempt }, from, over.signal)) {
      if (item.kind === 'exit') return finish(io, item.record.end, Buffer.concat(collected).toString('utf8'));
      if (item.kind === 'stdout' && step.collectStdout) collected.push(item.bytes);
      else await io.output.write(item.kind, item.bytes);
    }
    throw new OrchestratorError('sandbox-failed', `the output of ${step.handle} ended without an exit record`);
  } catch (error) {
    io.signal.throwIfAborted(); // whatever else went wrong: this is why the step ends
    throw error;
  } finally {
    io.signal.removeEventListener('abort', onAbort);
  }
}

async function finish(io: StepIo, end: ProcessEnd, stdout: string): Promise<ProcessResult> {
  await io.output.flush();
  io.signal.throwIfAborted();
  if (end.kind === 'not-started') throw new OrchestratorError('not-started', end.message);
  if (end.kind === 'interrupted') throw new OrchestratorError('sandbox-failed', end.message);
  return { end, stdout };
}

/** A shell's convention: a process that a signal ended has the status 128 and the signal's number. */
export function exitStatusOf(end: ProcessResult['end']): number {
  return end.kind === 'exited' ? end.status : 128 + end.signal;
}

/** The work's own result, unless the sandbox is lost first. */
async function withLoss<T>(work: Promise<T>, lost: Promise<string>): Promise<T> {
  const loss = lost.then((reason) => Promise.reject(new OrchestratorError('sandbox-failed', reason)));
  loss.catch(() => {});
  return Promise.race([work, loss]);
}
