import { BaggageclaimError, otherAttempt } from '../../protocol/baggageclaim-error.ts';
import type { ExitRecord, NotStartedCause, ProcessEnd, RunRequest, SignalRequest } from '../../protocol/messages.ts';
import { forgetFrame, signalFrame } from '../supervisor/supervisor-frames.ts';
import type { SupervisorLink } from '../supervisor/supervisor-link.ts';
import type { Puller } from '../trees/pull.ts';
import { loadInputs } from './beltloader.ts';
import type { Processes } from './processes.ts';
import type { Volumes } from './volumes.ts';

export interface RunsOptions {
  readonly processes: Processes;
  readonly link: SupervisorLink;
  readonly puller: Puller;
  readonly volumes: Volumes;
}

/** Between TERM and KILL: as Concourse. */
const GRACE_MS = 10_000;
/** A supervisor dials again within milliseconds. */
const PATIENCE_MS = 5_000;
/** A supervisor that hangs up on a request each time does not understand it. */
const TRIES = 3;

const STOPPED = { kind: 'interrupted', message: 'it was stopped before it started' } as const;

/** Starts processes, each once: inputs first, then the supervisor. */
export class Runs {
  readonly #options: RunsOptions;
  /** Those of which it is not known yet whether the supervisor has them. */
  readonly #starting = new Map<string, { done: Promise<void>; stop: AbortController }>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Resolves when the supervisor has it, or it has failed to start; asked again, it waits for the same. */
  async run(request: RunRequest): Promise<void> {
    const { processes } = this.#options;
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
   * Whether it runs, is about to, or has ended. What a killed server had written down and handed to nobody is not there
   * once the supervisor is, and says so.
   */
  isThere(id: string, attempt: string): boolean {
    const { processes, link } = this.#options;
    if (processes.attempt(id) !== attempt) return false;
    return (
      processes.record(id) !== undefined || processes.isSupervised(id) || this.#starting.has(id) || !link.connected
    );
  }

  async signal(request: SignalRequest): Promise<void> {
    const { processes, link } = this.#options;
    const { id, signal } = request;
    const attempt = processes.attempt(id);
    if (attempt === undefined) throw new BaggageclaimError('not-found', `no process ${id} runs here`);
    const starting = this.#starting.get(id);
    starting?.stop.abort(new Error('stopped before it started'));
    await starting?.done;
    if (processes.record(id)) return;
    await link.ready(AbortSignal.timeout(PATIENCE_MS)).catch(() => {}); // we may have been started again just now
    if (this.#starting.has(id)) return this.signal(request);
    if (processes.record(id)) return;
    if (link.connected && !processes.isSupervised(id)) return processes.failed(endOf({ id, attempt }, STOPPED));
    link.send(signalFrame(id, signal === 'stop' ? GRACE_MS : 0));
  }

  /** Lets go of a process that has ended, and of its output. */
  async forget(id: string): Promise<void> {
    const { processes, link } = this.#options;
    if (processes.attempt(id) === undefined) return;
    if (!processes.record(id)) throw new BaggageclaimError('conflict', `process ${id} has not ended`);
    if (processes.isSupervised(id)) link.send(forgetFrame(id));
    await processes.forget(id);
  }

  async #start(request: RunRequest, handedOver: boolean, signal: AbortSignal): Promise<void> {
    const { processes, puller, volumes } = this.#options;
    let cause: NotStartedCause = 'system';
    try {
      // An earlier server was about to hand it over, and whoever asked was not told that it had.
      if (handedOver && (await this.#isTaken(request.id))) return;
      signal.throwIfAborted();
      cause = 'input';
      await loadInputs(puller, volumes, request.inputs, signal);
      cause = 'directory';
      for (const path of request.directories) await volumes.makeDirectory(path);
      cause = 'system';
      await this.#handOver(request, signal);
    } catch (error) {
      const failed = { kind: 'not-started', cause, message: (error as Error).message } as const;
      await processes.failed(endOf(request, signal.aborted ? STOPPED : failed));
    }
  }

  /** Until the supervisor says that it has it. A connection that breaks before is waited for: the next one tells. */
  async #handOver(request: RunRequest, signal: AbortSignal): Promise<void> {
    const { processes, link } = this.#options;
    await link.ready(signal);
    await processes.handOver(request.id, request.attempt);
    for (let tries = 0; tries < TRIES; tries++) {
      if (await link.run(supervised(request))) return processes.supervised(request.id);
      if (await this.#isTaken(request.id)) return;
      signal.throwIfAborted();
    }
    throw new Error("the step's container does not take the process");
  }

  /** Whether the supervisor has it. Only the supervisor knows, so this waits for it, whatever happens. */
  async #isTaken(id: string): Promise<boolean> {
    const { processes, link } = this.#options;
    await link.ready(new AbortController().signal);
    return processes.isSupervised(id) || processes.record(id) !== undefined;
  }
}

/** The record of a process that the supervisor never had. */
export function endOf({ id, attempt }: { id: string; attempt: string }, end: ProcessEnd): ExitRecord {
  return { id, attempt, end, wallSeconds: 0, cpuSeconds: 0, peakMemoryBytes: 0 };
}

function supervised(request: RunRequest) {
  const { id, attempt, path, args, dir, user, tty, stdin, inputs, directories } = request;
  const env = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const own = [...new Set([...directories, ...inputs.map((input) => input.path)])];
  return { id, attempt, path, args, env, dir, user, tty, stdin, own };
}
