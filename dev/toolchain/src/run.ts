import { type SpawnOptions, spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Written to the child's stdin, which is then closed. Without it stdin is empty. */
  readonly input?: string;
  /** Exit codes that are not a failure; default only 0. `any` never fails. */
  readonly ok?: readonly number[] | 'any';
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class RunError extends Error {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;

  constructor(command: string, result: RunResult, how: string, options?: ErrorOptions) {
    const said = lastLines(result.stderr || result.stdout, 15);
    super(`${command}: ${how}${said ? `\n${said}` : ''}`, options);
    this.name = 'RunError';
    this.code = result.code;
    this.stdout = result.stdout;
    this.stderr = result.stderr;
  }
}

/** Runs a program to its end and collects what it printed; throws {@link RunError}, with its last words, if it fails. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  const spawnOptions: SpawnOptions = { stdio: ['pipe', 'pipe', 'pipe'] };
  if (options.cwd) spawnOptions.cwd = options.cwd;
  if (options.env) spawnOptions.env = options.env;
  if (options.timeoutMs) spawnOptions.timeout = options.timeoutMs;
  if (options.signal) spawnOptions.signal = options.signal;
  const child = spawn(command, args, spawnOptions);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin?.on('error', () => {}); // a child that exits without reading is judged by its exit code
  child.stdin?.end(options.input ?? '');
  const shown = [command, ...args].join(' ').slice(0, 300);
  child.on('error', (cause) => reject(new RunError(shown, { code: -1, stdout, stderr }, cause.message, { cause })));
  child.on('close', (code, signal) => {
    const result = { code: code ?? -1, stdout, stderr };
    const ok = options.ok ?? [0];
    if (ok === 'any' || (code !== null && ok.includes(code))) resolve(result);
    else reject(new RunError(shown, result, signal ? `ended by ${signal}` : `exit status ${code}`));
  });
  return promise;
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
