import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '../places.ts';

/** The agent of a web that was killed ends within a moment. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Makes this process the only agent of a directory, until it ends. The lock is an abstract socket: the kernel lets go of it
 * with the process, so that a killed agent leaves nothing. Throws if another agent has it.
 */
export async function takeAgentLock(directory: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await tryLock(`\0seaplane-agent-${hashOf(directory)}`))) {
    if (performance.now() > end) throw new Error(`another agent works in ${directory}`);
    await sleep(PAUSE_MS);
  }
}

function tryLock(path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const server = createServer((socket) => socket.destroy());
  server.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
  );
  server.listen({ path }, () => resolve(true));
  server.unref();
  return promise;
}
