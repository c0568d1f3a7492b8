import { homedir, hostname } from 'node:os';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { Mistake } from './mistake.ts';

/** The properties of the machine that defaults depend on. */
export interface Machine {
  readonly isRoot: boolean;
  /** Undefined: the user has neither HOME nor an account. */
  readonly home: string | undefined;
  readonly hostname: string;
}

export function thisMachine(): Machine {
  return { isRoot: process.getuid?.() === 0, home: home(), hostname: hostname() };
}

/** Reads flags. Throws a {@link Mistake} for an unknown flag and for an argument that is not a flag. Pure. */
export function parseFlags<const T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values;
  } catch (cause) {
    throw new Mistake((cause as Error).message, { cause });
  }
}

/** The directory with everything of a command. Throws a {@link Mistake} if the user has no home. Pure. */
export function requireHome(directory: string | undefined): string {
  if (directory) return directory;
  throw new Mistake('there is no home directory to keep data in: name a directory with --data-dir');
}

/** Tells the user something that is not the command's output. */
export function say(text: string): void {
  process.stderr.write(`seaplane: ${text}\n`);
}

function home(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
