import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DbError } from '../../errors.ts';
import type { Account } from '../account.ts';
import { reportsFullDisk } from '../directory/free-space.ts';
import { DeathGuard } from './death-guard.ts';
import { serverEnvironment, serverIdentity } from './run-tool.ts';
import { type LogLevel, onLines, parseLogLine, type ServerLogLine } from './server-log.ts';

const READY = 'database system is ready to accept connections';
const LAST_WORDS = 12;

/** How long each signal gets: fast shutdown, then immediate shutdown (recovers at the next start), then SIGKILL. */
const STOP_STEPS: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 5_000 },
  { signal: 'SIGQUIT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

export interface ServerSpec {
  readonly postgres: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly account: Account;
  readonly onLog: (line: ServerLogLine) => void;
  /** Aborts a start that is under way. */
  readonly signal?: AbortSignal | undefined;
  readonly stopSteps?: readonly StopStep[];
}

/** One run of the server program, from its start to its end. It is our direct child, so its end is known at once. */
export class ServerProcess {
  readonly pid: number;
  /** Resolves, with how it ended in words, when the process is gone. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #lastWords: string[];
  readonly #stopSteps: readonly StopStep[];

  private constructor(
    child: ChildProcess,
    pid: number,
    exited: Promise<string>,
    lastWords: string[],
    stopSteps: readonly StopStep[],
  ) {
    this.#child = child;
    this.#stopSteps = stopSteps;
    this.pid = pid;
    this.exited = exited;
    this.#lastWords = lastWords;
  }

  /**
   * Resolves when the server accepts connections. There is no time limit: after a crash it first replays its log, and
   * cutting that short would only begin it again. Throws with the end of the server's log if it ends before it is
   * ready.
   */
  static async start(spec: ServerSpec): Promise<ServerProcess> {
    spec.signal?.throwIfAborted();
    const child = spawn(spec.postgres, spec.args, {
      ...serverIdentity(spec.account),
      env: serverEnvironment(spec.env),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ready = Promise.withResolvers<boolean>();
    const exited = Promise.withResolvers<string>();
    const lastWords: string[] = [];
    let level: LogLevel = 'debug';
    if (child.stderr) {
      onLines(child.stderr, (text) => {
        const line = parseLogLine(text, level);
        level = line.level;
        if (lastWords.push(text) > LAST_WORDS) lastWords.shift();
        spec.onLog(line);
        if (text.includes(READY)) ready.resolve(true);
      });
    }
    child.on('error', (error) => {
      lastWords.push(error.message);
      if (child.pid === undefined) exited.resolve('could not be started');
    });
    // `close`, not `exit`: its last output is in by then. Only its own children could hold the pipe any longer.
    child.on('exit', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `ended with exit status ${code}`;
      const timer = setTimeout(() => exited.resolve(how), 1_000);
      child.on('close', () => {
        clearTimeout(timer);
        exited.resolve(how);
      });
    });
    exited.promise.then(() => ready.resolve(false));
    const server = new ServerProcess(child, child.pid ?? 0, exited.promise, lastWords, spec.stopSteps ?? STOP_STEPS);
    return server.#whenReady(ready.promise, spec);
  }

  async #whenReady(ready: Promise<boolean>, { account, signal }: ServerSpec): Promise<ServerProcess> {
    if (this.pid) {
      const guard = new DeathGuard(this.pid, account);
      this.exited.then(() => guard[Symbol.dispose]());
    }
    const abort = () => void this.stop();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (await ready) {
        signal?.throwIfAborted();
        return this;
      }
      signal?.throwIfAborted();
      throw explainFailedStart(await this.exited, this.#lastWords.join('\n'));
    } catch (error) {
      await this.stop();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Stops the server and resolves when it is gone; sooner or later by force. */
  async stop(): Promise<void> {
    for (const { signal, waitMs } of this.#stopSteps) {
      if (await this.#endsWithin(0)) return;
      this.#child.kill(signal);
      if (await this.#endsWithin(waitMs)) return;
    }
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const timeout = new AbortController();
    try {
      return await Promise.race([
        this.exited.then(() => true),
        sleep(ms, false, { signal: timeout.signal }).catch(() => false),
      ]);
    } finally {
      timeout.abort();
    }
  }
}

function explainFailedStart(how: string, lastWords: string): DbError {
  if (reportsFullDisk(lastWords)) {
    return new DbError('disk-full', `PostgreSQL did not start because its disk is full:\n${lastWords}`);
  }
  return new DbError('server-failed', `PostgreSQL did not start (${how}). The end of its log:\n${lastWords}`);
}
