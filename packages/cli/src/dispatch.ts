import type { Command } from './commands.ts';

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the command that the arguments name. Returns the exit status. */
export async function dispatch(
  commands: readonly Command[],
  [name, ...args]: readonly string[],
  { out, err }: Output,
): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    (name === undefined ? err : out)(help(commands));
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((each) => each.name === name);
  if (command) return command.run(args);
  const names = commands.map((each) => each.name).join(', ');
  err(`seaplane: unknown command "${name}". The commands are: ${names}. Run seaplane --help.\n`);
  return 2;
}

function help(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Seaplane: Concourse CI, on this machine and native on Kubernetes.

usage: seaplane COMMAND [flags]

${lines.join('\n')}

seaplane COMMAND --help says more. The server is started with npm start.
`;
}
