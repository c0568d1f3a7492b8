import {
  type BaggageclaimClient,
  BaggageclaimError,
  type ExitRecord,
  type OutputItem,
  type OutputPosition,
  type ProcessEnd,
  type RunRequest,
} from '@seaplane/baggageclaim';
import { type Clock, Drained, type StepIo } from '@seaplane/engine';
import { SandboxFailure } from '../host/host-error.ts';
import type { SandboxWatch } from '../host/sandbox-watch.ts';
import { OrchestratorError } from '../orchestrator-error.ts';
import { OutOfReach } from './out-of-reach.ts';

export interface StepProcess {
  readonly clock: Clock;
  readonly handle: string;
  readonly client: BaggageclaimClient;
  readonly watch: SandboxWatch;
  /** Records that the process may run from now on, as this user. Throws if this web may not start it. */
  readonly claim: (user: string) => Promise<void>;
  readonly id: string;
  readonly attempt: string;
  /**
   * A script's stdout is its answer and is collected, not logged; a task's is its log. A collected stream is read from
   * its beginning also after a restart.
   */
  readonly collectStdout: boolean;
}

/** Everything that decides what a process does. */
export type ProcessSpec = Omit<RunRequest, 'id' | 'attempt'>;

export interface ProcessResult {
  readonly end: Exclude<ProcessEnd, { kind: 'not-started' | 'interrupted' }>;
  readonly stdout: string;
}

/**
 * A process goes on while web can't reach it, so web keeps trying. Within this time Kubernetes reports a lost node (after
 * 40 seconds and another 5 minutes), which is the better answer.
 */
const OUT_OF_REACH_MS = 7 * 60_000;
/** A longer answer of a script is too much to hold in memory and to parse on web's one thread. */
const LONGEST_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Starts a process, or finds it started, and follows it to its exit record. An interruption stops the process (TERM, then
 * KILL), logs its last output, and then throws the signal's reason. When this web is drained, the process is left alone.
 * If the sandbox is lost meanwhile, its failure is thrown: only an exit record can end a step.
 */
export function runStepProcess(io: StepIo, process: StepProcess, spec: ProcessSpec): Promise<ProcessResult> {
  return untilLost(io, process, async (over) => {
    await start(io, process, spec);
    // Only now: a user who sees that a step runs may want to intercept it.
    if (!io.signal.aborted) await io.notice({ kind: 'starting' });
    return follow(io, process, over);
  });
}

/** Follows a process that an earlier web has started. Returns undefined if that web had not started it. */
export function resumeStepProcess(io: StepIo, process: StepProcess): Promise<ProcessResult | undefined> {
  return untilLost(io, process, async (over) => {
    await io.notice({ kind: 'starting' });
    try {
      return await follow(io, process, over);
    } catch (error) {
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    }
  });
}

async function start(
  { signal, output }: StepIo,
  { client, id, attempt, handle, claim }: StepProcess,
  spec: ProcessSpec,
): Promise<void> {
  await claim(spec.user);
  await output.restart();
  try {
    await client.run({ id, attempt, ...spec }, signal);
  } catch (error) {
    // The process may have been started all the same, or be about to start: then it is followed to its end.
    if (signal.aborted && !(signal.reason instanceof Drained)) return;
    throw inWords(handle, error);
  }
}

async function follow(io: StepIo, process: StepProcess, over: AbortController): Promise<ProcessResult> {
  const { id, client, handle, collectStdout } = process;
  // A request stops the process. Its output and record are still read, on a signal of their own.
  const onAbort = () => {
    if (io.signal.reason instanceof Drained) over.abort(io.signal.reason);
    else client.signal({ id, signal: 'stop' }, over.signal).catch(() => {});
  };
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (io.signal.aborted) onAbort();
  try {
    const logged = await io.output.position();
    const at = { stdout: collectStdout ? 0 : logged.stdout, stderr: logged.stderr };
    const answer = new Answer();
    for await (const item of persistentOutput(io, process, at, over.signal)) {
      if (item.kind === 'exit') return await finish(io, item.record, answer.text());
      if (item.kind !== 'stdout' || !collectStdout) await io.output.write(item.kind, item.bytes);
      else if (!answer.add(item.bytes)) {
        await client.signal({ id, signal: 'kill' }, over.signal).catch(() => {});
        throw new OrchestratorError('bad-script-output', `the answer on stdout is longer than ${answer.limit}`);
      }
    }
    throw new SandboxFailure('sidecar-lost', `the output of ${handle} ended without an exit record`);
  } catch (error) {
    io.signal.throwIfAborted(); // the step ends for this reason, whatever else went wrong
    throw inWords(handle, error);
  } finally {
    io.signal.removeEventListener('abort', onAbort);
  }
}

/** The output from these offsets on. Reads again after failures that the client itself gives up at. */
async function* persistentOutput(
  io: StepIo,
  { clock, handle, client, id, attempt }: StepProcess,
  from: OutputPosition,
  signal: AbortSignal,
): AsyncGenerator<OutputItem> {
  const at = { ...from };
  using reach = new OutOfReach(clock, OUT_OF_REACH_MS);
  for (;;) {
    try {
      for await (const item of client.output({ id, attempt }, at, signal, () => reach.recordAnswer())) {
        reach.recordAnswer();
        if (item.kind !== 'exit') at[item.kind] += item.bytes.length;
        yield item;
      }
      return;
    } catch (error) {
      if (!hasCode(error, 'unreachable') || io.signal.aborted || reach.tooLong) throw error;
      reach.recordFailure();
      await io.notice({ kind: 'message', text: `${silence(handle, error)}; trying again` });
    }
  }
}

async function finish(io: StepIo, { end, outOfMemory }: ExitRecord, stdout: string): Promise<ProcessResult> {
  await io.output.flush();
  io.signal.throwIfAborted();
  const succeeded = end.kind === 'exited' && end.status === 0;
  if (outOfMemory && !succeeded) await io.notice({ kind: 'message', text: outOfMemoryWords(outOfMemory) });
  if (end.kind === 'not-started') {
    throw new OrchestratorError(end.cause === 'input' ? 'input-not-loaded' : 'not-started', end.message);
  }
  if (end.kind === 'interrupted') throw new SandboxFailure('sidecar-lost', end.message);
  return { end, stdout };
}

function outOfMemoryWords({ limitBytes }: NonNullable<ExitRecord['outOfMemory']>): string {
  const killed = 'a process of this step was killed:';
  if (limitBytes === 0) {
    return `${killed} its node ran out of memory. Set container_limits.memory, so that the step runs where there is enough`;
  }
  const limit = `${Number((limitBytes / 2 ** 20).toFixed(1))} MiB`;
  return `${killed} the step used more memory than its limit of ${limit}. Raise container_limits.memory`;
}

/** As a shell does it: the status of a process that a signal ended is 128 plus the signal's number. */
export function exitStatusOf(end: ProcessResult['end']): number {
  return end.kind === 'exited' ? end.status : 128 + end.signal;
}

/** Returns the work's result, or throws the sandbox's failure if that comes first. `over` is aborted at the end. */
async function untilLost<T>(
  io: StepIo,
  { handle, watch }: StepProcess,
  work: (over: AbortController) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const lost = watch
    .untilLost(handle, over.signal, (text) => void io.notice({ kind: 'message', text }))
    .then((failure) => Promise.reject(failure));
  try {
    return await Promise.race([work(over), lost]);
  } finally {
    over.abort(new Error('the step is over'));
  }
}

/** The answer of a script: its stdout. */
class Answer {
  readonly limit = `${LONGEST_ANSWER_BYTES / 1024 / 1024} MiB`;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** Returns false if the answer is too long. */
  add(bytes: Uint8Array): boolean {
    this.#length += bytes.length;
    this.#chunks.push(bytes);
    return this.#length <= LONGEST_ANSWER_BYTES;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

function inWords(handle: string, error: unknown): unknown {
  if (!hasCode(error, 'unreachable')) return error;
  return new SandboxFailure('unreachable', silence(handle, error), { cause: error });
}

function silence(handle: string, { message }: Error): string {
  return `the sandbox ${handle} does not answer (${message}): its node may be lost, or the way from web to it is cut`;
}

function hasCode(error: unknown, code: BaggageclaimError['code']): error is BaggageclaimError {
  return error instanceof BaggageclaimError && error.code === code;
}
