import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf, placesIn } from '../places.ts';

/** The agent of a web that was killed ends within a moment. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
/** The status of a supervisor that finds the file locked. */
const LOCKED_STATUS = 75;

/**
 * Makes this process the only agent of a directory, until it ends. On Linux the lock is an abstract socket: the kernel lets go of
 * it with the process, so that a killed agent leaves nothing. Elsewhere the supervisor holds a lock on a file until this process
 * has ended. Throws if another agent has it.
 */
export async function takeAgentLock(directory: string, supervisor: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  const isLinux = process.platform === 'linux';
  const tryLock = () =>
    isLinux ? listenAt(`\0seaplane-agent-${hashOf(directory)}`) : holdFile(supervisor, placesIn(directory).lock);
  while (!(await tryLock())) {
    if (performance.now() > end) throw new Error(`another agent works in ${directory}`);
    await sleep(PAUSE_MS);
  }
}

function listenAt(path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const server = createServer((socket) => socket.destroy());
  server.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
  );
  server.listen({ path }, () => resolve(true));
  server.unref();
  return promise;
}

/** Locks a file until this process ends. False if another process has the lock. */
export async function holdFile(supervisor: string, path: string): Promise<boolean> {
  const holder = spawn(supervisor, ['--hold', path], { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
  holder.stdin.on('error', () => {});
  const held = once(holder.stdout, 'data').then(() => true);
  held.catch(() => {});
  const ended = once(holder, 'exit').then(([status]) => {
    if (status === LOCKED_STATUS) return false;
    throw new Error(`${path} can't be locked: the supervisor ended with status ${status}`);
  });
  ended.catch(() => {}); // while the lock is held, nobody waits for its end
  const isHeld = await Promise.race([held, ended]);
  // The agent may end while the lock is held. Its own end is the end of the holder's input.
  for (const each of [holder, holder.stdin, holder.stdout] as { unref?(): void }[]) each.unref?.();
  return isHeld;
}
