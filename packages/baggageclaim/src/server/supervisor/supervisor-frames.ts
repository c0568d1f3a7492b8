import { encodeFrame } from '../../protocol/frames.ts';
import type { WindowSize } from '../../protocol/messages.ts';

/** The version of the frames, which the supervisor sends first. Both programs are in one image. */
export const SUPERVISOR_PROTOCOL = '1';

/**
 * The frames between baggageclaim and the supervisor, on a unix socket in a volume that both containers share. A payload
 * consists of NUL-terminated strings, and for some types of bytes after them; the fields are in the supervisor's
 * SPEC.md. The first connection carries control. Each hijacked process has a connection of its own, so that a slow
 * reader holds back only that process.
 */
export const FRAME = {
  /** To the supervisor, on the control connection: start a process, start a hijacked one, TERM or KILL, forget. */
  run: 1,
  hijack: 2,
  signal: 3,
  forget: 7,
  /** To the supervisor, on a hijacked process's own connection. */
  stdin: 4,
  closeStdin: 5,
  resize: 6,
  /** From the supervisor, first on every connection: its purpose, and on the control connection all processes. */
  hello: 16,
  /** From the supervisor: the output of a hijacked process. */
  stdout: 17,
  stderr: 18,
  /** From the supervisor: an `ExitRecord` as JSON. */
  exit: 19,
  /** From the supervisor: the output files of a process have grown. Also confirms `run`. */
  grown: 20,
} as const;

/** A process that the supervisor is asked to start. The order of the fields is in the supervisor's SPEC.md. */
export interface SupervisedProcess {
  /** Names files: at most 128 letters, digits, `.`, `_` and `-`, the first not a point. */
  readonly id: string;
  readonly attempt: string;
  readonly path: string;
  readonly args: readonly string[];
  /** `NAME=VALUE`. */
  readonly env: readonly string[];
  readonly dir: string;
  readonly user: string;
  readonly tty: WindowSize | null;
  /** Directories to give to the user of the process. */
  readonly own: readonly string[];
  readonly stdin: string;
}

export function isProcessId(id: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(id);
}

export function runFrame(process: SupervisedProcess): Buffer {
  return encodeFrame(FRAME.run, processFields(process));
}

export function hijackFrame(process: SupervisedProcess): Buffer {
  return encodeFrame(FRAME.hijack, processFields(process));
}

/** TERM now and KILL after `graceMs`; KILL now when that is 0. */
export function signalFrame(id: string, graceMs: number): Buffer {
  return encodeFrame(FRAME.signal, fields([id, String(graceMs)]));
}

export function forgetFrame(id: string): Buffer {
  return encodeFrame(FRAME.forget, fields([id]));
}

export function resizeFrame({ columns, rows }: WindowSize): Buffer {
  return encodeFrame(FRAME.resize, fields([String(columns), String(rows)]));
}

function processFields(process: SupervisedProcess): Buffer {
  const { id, attempt, path, dir, user, tty, args, env, own, stdin } = process;
  // A size of 0 means that the user does not know it. The process gets a terminal all the same.
  const size = tty ? [tty.columns || 80, tty.rows || 24] : [0, 0];
  const head = [id, attempt, path, dir, user, ...size.map(String), ...list(args), ...list(env), ...list(own)];
  return Buffer.concat([fields(head), Buffer.from(stdin)]);
}

function list(items: readonly string[]): string[] {
  return [String(items.length), ...items];
}

function fields(values: readonly string[]): Buffer {
  const broken = values.find((value) => value.includes('\0'));
  if (broken !== undefined) throw new Error('an argument, a variable or a path of the process holds a NUL byte');
  return Buffer.from(values.map((value) => `${value}\0`).join(''));
}

/** The NUL-terminated strings of a payload. */
export function readFields(payload: Uint8Array): string[] {
  return Buffer.from(payload).toString('utf8').split('\0').slice(0, -1);
}
