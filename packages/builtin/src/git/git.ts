import { spawn } from 'node:child_process';
import type { ActionContext } from '../request.ts';

export interface Git {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface GitRun {
  readonly input?: string;
  /** Exit codes that are an answer. Default: 0. */
  readonly ok?: readonly number[];
  /** Lines of the program's errors go to the build log. Default: yes. */
  readonly quiet?: boolean;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function gitIn(context: ActionContext, cwd: string, env: NodeJS.ProcessEnv): Git {
  return { cwd, env, log: context.log, signal: context.signal };
}

/** Runs git. Throws unless its exit code is one that was expected; the log has its reasons. */
export function git(git: Git, args: readonly string[], options: GitRun = {}): Promise<GitResult> {
  return runProgram(git, 'git', args, options);
}

/** Output without white space at its ends. */
export async function gitText(within: Git, args: readonly string[], options: GitRun = {}): Promise<string> {
  return (await git(within, args, options)).stdout.trim();
}

export async function gitLines(within: Git, args: readonly string[], options: GitRun = {}): Promise<string[]> {
  return (await git(within, args, options)).stdout.split('\n').filter(Boolean);
}

export function runProgram(
  { cwd, env, log, signal }: Git,
  program: string,
  args: readonly string[],
  { input = '', ok = [0], quiet = false }: GitRun = {},
): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const child = spawn(program, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-64 * 1024);
    if (!quiet) for (const line of chunk.split(/[\n\r]/).filter(Boolean)) log(line);
  });
  child.stdin.on('error', () => {}); // a program that does not read is judged by its exit code
  child.stdin.end(input);
  child.on('error', (cause) => reject(new Error(`cannot run ${program}: ${cause.message}`, { cause })));
  child.on('close', (code) => {
    const result = { code: code ?? -1, stdout: Buffer.concat(stdout).toString(), stderr };
    if (ok.includes(result.code)) resolve(result);
    else reject(new Error(`${program} ${args.find((arg) => !arg.startsWith('-')) ?? ''} failed (${code ?? 'killed'})`));
  });
  return promise;
}
