import { Worker } from 'node:worker_threads';
import { ConfigError, type Json, parseJson, parseYaml, type YamlOptions, type YamlParser } from '@seaplane/config';
import type { ThreadAnswer, ThreadTask } from './yaml-thread.ts';

/** A text of this many characters takes web's own thread a fraction of a second. Longer texts get a thread. */
const LONGEST_INLINE = 100 * 1024;
const MOST_THREADS = 2;

export interface ThreadLimits {
  readonly memoryMiB: number;
  readonly seconds: number;
}

/** A pipeline of 4 MiB, the largest that is accepted, takes about 400 MiB and 5 seconds of CPU time. */
const LIMITS: ThreadLimits = { memoryMiB: 512, seconds: 60 };

/**
 * Parses YAML that anybody may have written. A large text is parsed in a thread of its own, with limits, so that a text
 * that exhausts memory or time is an error of its reader and does not end web. At most two threads run at a time; other
 * texts wait for their turn.
 */
export class YamlThreads implements YamlParser, AsyncDisposable {
  readonly #limits: ThreadLimits;
  readonly #threads = new Set<Worker>();
  readonly #waiting = new Set<() => void>();
  #turns = MOST_THREADS;

  constructor(limits: ThreadLimits = LIMITS) {
    this.#limits = limits;
  }

  async parse(text: string, signal: AbortSignal, options: YamlOptions = {}): Promise<Json> {
    signal.throwIfAborted();
    if (text.length <= LONGEST_INLINE) return parseYaml(text, options);
    await this.#takeTurn(signal);
    try {
      return await this.#parseInThread({ text, options }, signal);
    } finally {
      this.#endTurn();
    }
  }

  /** Ends the threads. A text that is being parsed is then an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  async #takeTurn(signal: AbortSignal): Promise<void> {
    if (this.#turns > 0) {
      this.#turns--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', stop, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /** Passes the turn on to the text that has waited longest. */
  #endTurn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#turns++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  async #parseInThread(task: ThreadTask, signal: AbortSignal): Promise<Json> {
    const { memoryMiB, seconds } = this.#limits;
    const { text } = task;
    const thread = new Worker(new URL('./yaml-thread.ts', import.meta.url), {
      workerData: task,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
    });
    this.#threads.add(thread);
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const stop = () => reject(signal.reason);
    const timer = setTimeout(() => reject(tooMuch(text, `${seconds} seconds`)), seconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
    thread.once('message', resolve);
    thread.once('error', (error: NodeJS.ErrnoException) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(outOfMemory ? tooMuch(text, `${memoryMiB} MiB of memory`) : error);
    });
    thread.once('exit', () => reject(new Error('the thread that parsed the document was ended')));
    try {
      const answer = await promise;
      if ('mistake' in answer) throw new ConfigError('invalid-yaml', answer.mistake);
      return parseJson(answer.json);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      await thread.terminate();
      this.#threads.delete(thread);
    }
  }
}

function tooMuch(text: string, what: string): ConfigError {
  return new ConfigError(
    'invalid-yaml',
    `yaml: this document of ${Buffer.byteLength(text)} bytes takes more than ${what} to parse; make it smaller`,
  );
}
