import { mkdir } from 'node:fs/promises';
import { BaggageclaimError } from './baggageclaim-error.ts';
import { loadInputs } from './beltloader.ts';
import type { Processes } from './processes.ts';
import type { ExitRecord, ProcessEnd, RunRequest, SignalRequest } from './protocol.ts';
import type { Puller } from './pull.ts';
import { forgetFrame, runFrame, signalFrame } from './supervisor-frames.ts';
import type { SupervisorLink } from './supervisor-link.ts';

export interface RunsOptions {
  readonly processes: Processes;
  readonly link: SupervisorLink;
  readonly puller: Puller;
}

/** Between TERM and KILL: as Concourse. */
const GRACE_MS = 10_000;
/** A supervisor dials again within milliseconds. */
const PATIENCE_MS = 5_000;

/** Starts processes, each once: inputs first, then the supervisor. */
export class Runs {
  readonly #options: RunsOptions;
  /** Those whose inputs are being loaded here. */
  readonly #starting = new Map<string, { done: Promise<void>; stop: AbortController }>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Resolves when the supervisor has it, or it has failed to start; asked again, it waits for the same. */
  async run(request: RunRequest): Promise<void> {
    const { processes, link } = this.#options;
    const { id, attempt } = request;
    const known = processes.attempt(id);
    if (known !== undefined && known !== attempt) {
      throw new BaggageclaimError('conflict', `process ${id} is of attempt ${known} here, not of ${attempt}`);
    }
    if (processes.record(id)) return;
    const starting = this.#starting.get(id);
    if (starting) return starting.done;
    if (known !== undefined) {
      // An earlier server was about to hand it over. The supervisor knows whether it did.
      await link.ready(new AbortController().signal);
      if (processes.isSupervised(id) || processes.record(id)) return;
      if (this.#starting.has(id)) return this.run(request);
    }
    const stop = new AbortController();
    const done = this.#start(request, stop.signal).finally(() => this.#starting.delete(id));
    this.#starting.set(id, { done, stop });
    processes.begin(id, attempt);
    return done;
  }

  async signal({ id, signal }: SignalRequest): Promise<void> {
    const { processes, link } = this.#options;
    if (processes.attempt(id) === undefined) throw new BaggageclaimError('not-found', `no process ${id} runs here`);
    const starting = this.#starting.get(id);
    starting?.stop.abort(new Error('stopped before it started'));
    await starting?.done;
    if (processes.record(id)) return;
    await link.ready(AbortSignal.timeout(PATIENCE_MS)).catch(() => {}); // we may have been started again just now
    if (!processes.isSupervised(id) || processes.record(id)) return;
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

  async #start(request: RunRequest, signal: AbortSignal): Promise<void> {
    const { processes, link, puller } = this.#options;
    const { id, attempt } = request;
    try {
      await loadInputs(puller, request.inputs, signal);
      for (const path of request.directories) await mkdir(path, { recursive: true });
      const frame = runFrame(supervised(request));
      while (!processes.isSupervised(id)) {
        await link.ready(signal);
        await processes.handOver(id, attempt);
        if (!link.connected) continue;
        link.send(frame);
        processes.supervised(id);
      }
    } catch (error) {
      const stopped = { kind: 'interrupted', message: 'it was stopped before it started' } as const;
      const failed = { kind: 'not-started', cause: 'input', message: (error as Error).message } as const;
      await processes.failed(endOf(request, signal.aborted ? stopped : failed));
    }
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
