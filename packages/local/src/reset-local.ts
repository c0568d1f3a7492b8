import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { HostError } from '@seaplane/orchestrator';
import { agentCommand } from './agent-command.ts';
import { placesIn } from './places.ts';
import { RESET } from './protocol.ts';

/**
 * Ends everything that runs in a worker's directory, and removes the directory. Throws if an agent works in it. A process of
 * its own does it: only there an ordinary user may remove the files of sandboxes.
 */
export async function resetLocal(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const isPlain = existsSync(placesIn(directory).plainProcesses);
  const [program = '', ...args] = agentCommand(isPlain, RESET, directory);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = execFile(program, args, { env: { PATH: process.env['PATH'] } }, (error, _stdout, stderr) => {
    if (!error) resolve();
    else reject(new HostError('name-taken', stderr.trim() || error.message, { cause: error }));
  });
  child.on('error', reject);
  return promise;
}
