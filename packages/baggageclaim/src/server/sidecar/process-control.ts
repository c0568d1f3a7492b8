import { BaggageclaimError, otherAttempt } from '../../protocol/baggageclaim-error.ts';
import type { NotStartedCause, RunInput, RunRequest, SignalRequest } from '../../protocol/messages.ts';
import { forgetFrame, signalFrame } from '../supervisor/supervisor-frames.ts';
import type { SupervisorLink } from '../supervisor/supervisor-link.ts';
import type { Puller } from '../trees/pull.ts';
import { loadInputs } from './beltloader.ts';
import { exitRecordOf } from './exit-record.ts';
import type { Processes } from './processes.ts';
import type { Volumes } from './volumes.ts';

export interface ProcessControlParts {
  readonly processes: Processes;
  readonly link: SupervisorLink;
  readonly puller: Puller;
  readonly volumes: Volumes;
  readonly network: Network;
}

/** The network that processes are in. */
export interface Network {
  /** Resolves when processes may start in it. Throws if they may not, in words for the step's author. */
  proven(): Promise<void>;
}

/** Between TERM and KILL, as in Concourse. */
const GRACE_MS = 10_000;
/** How long a signal waits for the supervisor, which reconnects within milliseconds. */
const PATIENCE_MS = 5_000;
/** A supervisor that hangs up this often on the same request does not understand it. */
const TRIES = 3;

const STOPPED = { kind: 'interrupted', message: 'the process was stopped before it started' } as const;

/**
 * Starts, signals and forgets the processes of a sandbox.
 *
 * Starting takes four steps: load the inputs, make the directories, wait for the network, hand the process to the
 * supervisor. `#starting` holds a process from the first step until it is known whether the supervisor has it. A request
 * to start the same attempt again joins that, and a signal stops it there. Afterwards the supervisor owns the process, and
 * {@link Processes} describes it.
 */
export class ProcessControl {
  readonly #parts: ProcessControlParts;
  readonly #starting = new Map<string, { done: Promise<void>; stop: AbortController }>();

  constructor(parts: ProcessControlParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the supervisor has the process, or the process has failed to start. Asked again for the same attempt, it
   * starts nothing and waits for the same. Throws `conflict` for another attempt.
   */
  async start(request: RunRequest): Promise<void> {
    const { processes } = this.#parts;
    const { id, attempt } = request;
    const known = processes.attempt(id);
    if (known !== undefined && known !== attempt) throw otherAttempt(id, known, attempt);
    if (processes.record(id) || processes.isSupervised(id)) return;
    const starting = this.#starting.get(id);
    if (starting) return starting.done;
    const stop = new AbortController();
    const done = this.#start(request, known !== undefined, stop.signal).finally(() => this.#starting.delete(id));
    this.#starting.set(id, { done, stop });
    processes.begin(id, attempt);
    return done;
  }

  /**
   * Whether a process runs, is about to, or has ended. A process that an earlier server recorded as handed over counts until
   * a supervisor connects; if that one does not have it, the process never started and is not there.
   */
  isThere(id: string, attempt: string): boolean {
    const { processes, link } = this.#parts;
    if (processes.attempt(id) !== attempt) return false;
    return (
      processes.record(id) !== undefined || processes.isSupervised(id) || this.#starting.has(id) || !link.connected
    );
  }

  async signal(request: SignalRequest): Promise<void> {
    const { processes, link } = this.#parts;
    const { id, signal } = request;
    const attempt = processes.attempt(id);
    if (attempt === undefined) throw new BaggageclaimError('not-found', `no process ${id} runs here`);
    const starting = this.#starting.get(id);
    starting?.stop.abort(new Error('stopped before it started'));
    await starting?.done;
    if (processes.record(id)) return;
    await link.ready(AbortSignal.timeout(PATIENCE_MS)).catch(() => {}); // this server may have just been restarted
    if (this.#starting.has(id)) return this.signal(request);
    if (processes.record(id)) return;
    if (link.connected && !processes.isSupervised(id))
      return processes.recordFailure(exitRecordOf({ id, attempt }, STOPPED));
    link.send(signalFrame(id, signal === 'stop' ? GRACE_MS : 0));
  }

  /** Deletes an ended process and its output. Does nothing when there is no such process. Throws `conflict` while it runs. */
  async forget(id: string): Promise<void> {
    const { processes, link } = this.#parts;
    if (processes.attempt(id) === undefined) return;
    if (!processes.record(id)) throw new BaggageclaimError('conflict', `process ${id} has not ended`);
    if (processes.isSupervised(id)) link.send(forgetFrame(id));
    await processes.forget(id);
  }

  async #start(request: RunRequest, handedOver: boolean, signal: AbortSignal): Promise<void> {
    const { processes, puller, volumes, network } = this.#parts;
    let cause: NotStartedCause = 'system';
    try {
      // An earlier server recorded the hand-over, and was killed before it answered. The supervisor may have the process.
      if (handedOver && (await this.#isTaken(request.id))) return;
      signal.throwIfAborted();
      cause = 'input';
      await loadInputs(puller, volumes, showableInputs(request), signal);
      cause = 'directory';
      for (const path of request.directories) await volumes.makeDirectory(path);
      cause = 'system';
      await untilAborted(signal, network.proven());
      await this.#handOver(request, signal);
    } catch (error) {
      const failed = { kind: 'not-started', cause, message: (error as Error).message } as const;
      await processes.recordFailure(exitRecordOf(request, signal.aborted ? STOPPED : failed));
    }
  }

  /** Resolves when the supervisor has confirmed the process. If the connection breaks before, the next one tells. */
  async #handOver(request: RunRequest, signal: AbortSignal): Promise<void> {
    const { processes, link } = this.#parts;
    await link.ready(signal);
    await processes.recordHandOver(request.id, request.attempt);
    for (let tries = 0; tries < TRIES; tries++) {
      if (await link.start(supervisedProcess(request))) return processes.markSupervised(request.id);
      if (await this.#isTaken(request.id)) return;
      signal.throwIfAborted();
    }
    throw new Error("the step's container does not take the process");
  }

  /** Whether the supervisor has the process. Waits for a supervisor without a limit, since nobody else knows. */
  async #isTaken(id: string): Promise<boolean> {
    const { processes, link } = this.#parts;
    await link.ready(new AbortController().signal);
    return processes.isSupervised(id) || processes.record(id) !== undefined;
  }
}

/** Waits for the work, but not longer than until the signal. */
async function untilAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  work.catch(() => {}); // it may fail when nobody waits any more
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The files of another user's inputs get that user as their owner: each of them would have to be copied all the same. */
function showableInputs({ user, inputs }: RunRequest): readonly RunInput[] {
  const isRoot = /^(root|0)?(:.*)?$/.test(user);
  return isRoot ? inputs : inputs.map((input) => ({ ...input, mayShow: false }));
}

function supervisedProcess(request: RunRequest) {
  const { id, attempt, path, args, dir, user, tty, stdin, inputs, directories } = request;
  const env = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const own = [...new Set([...directories, ...inputs.map((input) => input.path)])];
  return { id, attempt, path, args, env, dir, user, tty, stdin, own };
}
