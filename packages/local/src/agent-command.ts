import { join } from 'node:path';
import { SUPERVISOR } from './places.ts';

/**
 * The command that runs a program of this package as root: of the machine, or of a user namespace with the ids that an ordinary
 * user may use. Files of sandboxes belong to these ids, so everything that makes or removes them must run there. The files of
 * plain processes belong to the user.
 */
export function agentCommand(plainProcesses: boolean, ...args: readonly string[]): string[] {
  const program = [process.execPath, join(import.meta.dirname, 'main.ts'), ...args];
  return plainProcesses || process.getuid?.() === 0 ? program : [SUPERVISOR, '--userns', '--', ...program];
}
