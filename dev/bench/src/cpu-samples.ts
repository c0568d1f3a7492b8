import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ProgramTimes, programTimes, type Span } from './program-times.ts';

const SAMPLES_PER_SECOND = 199;

/** The clock of samples, in seconds. */
export function sampleClock(): number {
  return Number(process.hrtime.bigint()) / 1e9;
}

/** Samples what runs on the machine, with `perf`, so that short processes are seen, too. Undefined without `perf`. */
export class CpuSamples implements AsyncDisposable {
  readonly #file: string;
  readonly #perf: ReturnType<typeof spawn>;
  readonly #exited: Promise<unknown>;

  private constructor(file: string, perf: ReturnType<typeof spawn>) {
    this.#file = file;
    this.#perf = perf;
    this.#exited = once(perf, 'exit');
  }

  static async start(file: string): Promise<CpuSamples | undefined> {
    const rate = ['-F', String(SAMPLES_PER_SECOND), '-e', 'cpu-clock', '-k', 'CLOCK_MONOTONIC'];
    const perf = spawn('perf', ['record', '-a', ...rate, '-o', file], { stdio: 'ignore' });
    return new Promise((resolve) => {
      perf.once('error', () => resolve(undefined));
      perf.once('spawn', () => resolve(new CpuSamples(file, perf)));
    });
  }

  /** Ends the sampling. */
  async times(spans: readonly Span[], roots: ReadonlySet<number>): Promise<ProgramTimes> {
    await this[Symbol.asyncDispose]();
    const shown = ['-F', 'comm,pid,tid,time', '--show-task-events'];
    const script = spawn('perf', ['script', '-i', this.#file, ...shown], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    for await (const chunk of script.stdout.setEncoding('utf8')) text += chunk;
    return programTimes(text.split('\n'), spans, roots, SAMPLES_PER_SECOND);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#perf.kill('SIGINT'); // it writes what it has
    await this.#exited;
  }
}
