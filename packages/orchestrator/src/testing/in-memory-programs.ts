import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunRequest } from '@seaplane/baggageclaim';
import type { FileTree } from './file-tree.ts';

/** What a program in an in-memory sandbox has: its request, stdout and stderr, files, and a signal to stop. */
export interface ProgramContext {
  readonly request: RunRequest;
  readonly files: FileTree;
  /** Aborted when the process is to stop. */
  readonly stopped: AbortSignal;
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Returns the exit status. A signal that ends it is thrown as its number. */
export type Program = (context: ProgramContext) => Promise<number>;

/** The few programs that the contract suite uses, behaving like their namesakes in busybox. */
export const CONTRACT_PROGRAMS: Readonly<Record<string, Program>> = {
  echo: async ({ request, stdout }) => {
    stdout(`${request.args.join(' ')}\n`);
    return 0;
  },
  cat: async ({ request, stdout, stderr, files }) => {
    const [path] = request.args;
    const text = path === undefined ? request.stdin : files.read(posix.resolve(request.dir, path))?.toString();
    if (text === undefined) stderr(`cat: can't open '${path}': No such file or directory\n`);
    else stdout(text);
    return text === undefined ? 1 : 0;
  },
  env: async ({ request, stdout }) => {
    for (const [name, value] of Object.entries(request.env)) stdout(`${name}=${value}\n`);
    return 0;
  },
  false: async () => 1,
  /** Of a shell, only `mkdir -p DIRECTORY && printf TEXT >FILE`. */
  sh: async ({ request, files }) => {
    const [, text = '', path = ''] = /printf (\S+) >(\S+)/.exec(request.args[1] ?? '') ?? [];
    files.write(posix.resolve(request.dir, path), text);
    return 0;
  },
  sleep: async ({ request, stopped }) => {
    await sleep(Number(request.args[0]) * 1000, undefined, { signal: stopped }).catch(() => {});
    if (stopped.aborted) throw new KilledBy(15);
    return 0;
  },
};

/** Thrown by a program that the kernel kills for memory. A limit of 0 is none. */
export class OutOfMemory extends Error {
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super('killed for memory');
    this.limitBytes = limitBytes;
  }
}

export class KilledBy extends Error {
  readonly signal: number;

  constructor(signal: number) {
    super(`killed by signal ${signal}`);
    this.signal = signal;
  }
}
