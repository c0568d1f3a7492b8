import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];

/** A signal came while a step ran; it was passed on, and the step has ended. */
class Interrupted extends Error {
  readonly exitStatus: number;

  constructor(name: Signal) {
    super(`stopped by ${name}`);
    this.exitStatus = 128 + constants.signals[name];
  }
}

/** Runs one gate with its output shown and says how long it took; true when it passed. */
export async function runStep(name: string, command: string, args: readonly string[]): Promise<boolean> {
  const start = performance.now();
  console.error(`\n== ${name}`);
  const passed = (await runToEnd(command, args)) === 0;
  console.error(`== ${name}: ${passed ? 'ok' : 'FAILED'} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return passed;
}

/** Passes signals on to the child, so that no process is left behind, and ends when the child has ended. */
async function runToEnd(command: string, args: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let interrupted: Interrupted | undefined;
  const pass = (name: Signal) => {
    interrupted ??= new Interrupted(name);
    child.kill(name);
  };
  // Set before the child is started: a signal in between would end this process alone.
  for (const name of SIGNALS) process.on(name, pass);
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
  child.on('error', (error) => {
    console.error(`${command}: ${error.message}`);
    resolve(1);
  });
  child.on('close', (code) => (interrupted ? reject(interrupted) : resolve(code ?? 1)));
  try {
    return await promise;
  } finally {
    for (const name of SIGNALS) process.off(name, pass);
  }
}

/** How a command of this folder is used. */
export interface Usage {
  readonly text: string;
  readonly takesArguments: boolean;
}

/** Runs a command with its arguments: true ends it well. `--help` shows its usage; so do arguments it does not take. */
export async function runCommand(
  { text, takesArguments }: Usage,
  command: (args: readonly string[]) => Promise<boolean>,
): Promise<void> {
  const args = process.argv.slice(2);
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    console.log(text);
  } else if (args.length > 0 && !takesArguments) {
    console.error(`unexpected argument '${args[0]}'\n\n${text}`);
    process.exitCode = 2;
  } else {
    process.exitCode = await command(args).then((passed) => (passed ? 0 : 1), exitStatusOf);
  }
}

function exitStatusOf(error: unknown): number {
  if (!(error instanceof Interrupted)) throw error;
  console.error(`== ${error.message}`);
  return error.exitStatus;
}
