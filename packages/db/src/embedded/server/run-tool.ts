import { type SpawnOptions, spawn } from 'node:child_process';
import type { Account } from '../account.ts';

export interface ToolResult {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** stdout and stderr as they came. */
  readonly output: string;
  /** Set when the program could not be started at all. */
  readonly error?: NodeJS.ErrnoException;
}

export interface ToolOptions {
  readonly account: Account;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a short-lived program as the server's user. Never throws for what the program does; throws when aborted. */
export async function runTool(file: string, args: readonly string[], options: ToolOptions): Promise<ToolResult> {
  options.signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  const child = spawn(file, args, {
    ...serverIdentity(options.account),
    env: serverEnvironment(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: string) => {
    output += chunk;
  };
  child.stdout?.setEncoding('utf8').on('data', collect);
  child.stderr?.setEncoding('utf8').on('data', collect);
  child.stdin?.on('error', () => {}); // it need not read what we say
  child.stdin?.end(options.input ?? '');
  let error: NodeJS.ErrnoException | undefined;
  child.on('error', (cause) => {
    error = cause;
    if (child.pid === undefined) resolve({ code: undefined, signal: undefined, output, error: cause });
  });
  child.on('close', (code, signal) => {
    resolve({ code: code ?? undefined, signal: signal ?? undefined, output, ...(error && { error }) });
  });
  const abort = () => endGroup(child.pid);
  options.signal?.addEventListener('abort', abort, { once: true });
  const result = await promise;
  options.signal?.removeEventListener('abort', abort);
  options.signal?.throwIfAborted();
  return result;
}

/** Ends a program with what it started in turn: initdb runs the server program. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // it has just ended
  }
}

/**
 * How every program of the server is started: as its user, from a directory that this user can be in, and in a session
 * of its own, so that Ctrl-C in our terminal reaches only us and we decide the order in which things stop.
 */
export function serverIdentity(account: Account): SpawnOptions {
  return { ...(account.dropped && { uid: account.uid, gid: account.gid }), cwd: '/', detached: true };
}

/** Not our environment: it may hold secrets, and a locale would translate the messages that we read. */
export function serverEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', ...extra };
}
