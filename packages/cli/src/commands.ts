/** A command of `seaplane`. */
export interface Command {
  readonly name: string;
  /** One line for `seaplane --help`. */
  readonly summary: string;
  /** Loads the command and runs it with the arguments after its name. Returns the exit status. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** Every command. Each is loaded when it is asked for, so that none costs the others time. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'run',
    summary: 'runs one job of a pipeline file on this machine, without a server',
    run: async (args) => (await import('./run/run-command.ts')).runCommand(args),
  },
  {
    name: 'worker',
    summary: 'makes this machine a worker of a server, which it dials',
    run: async (args) => (await import('./worker/worker-command.ts')).workerCommand(args),
  },
];
