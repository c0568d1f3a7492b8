import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runsProgram } from './runs-program.ts';
import type { SandboxPlaces } from './sandbox-directory.ts';

const POLL_MS = 10;
/** A sandbox that is destroyed has nothing left to do. */
const GRACE_MS = 1_000;

/**
 * The keeper is the process that makes a sandbox and waits for its end. The sandbox ends with its keeper. It outlives the
 * agent, so an agent finds it by its process id, and knows it by its program, which no other process runs.
 */

/** Starts the keeper. If there is one already, the new one ends at once by itself. `env` is what the image names. */
export async function startKeeper(
  places: SandboxPlaces,
  args: readonly string[],
  env: readonly string[],
): Promise<void> {
  await using log = await open(places.log, 'a', 0o600);
  // The step's processes inherit this environment: it must hold nothing of the agent's.
  const child = spawn(places.supervisor, args, {
    env: Object.fromEntries(env.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)])),
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', log.fd],
  });
  await once(child, 'spawn');
  child.on('error', () => {});
  child.unref();
}

export type KeeperState =
  /** There was none yet: it would have written its process id before anything else. */
  { readonly kind: 'unstarted' } | { readonly kind: 'living'; readonly pid: number } | { readonly kind: 'gone' };

export async function keeperState(places: SandboxPlaces): Promise<KeeperState> {
  const pid = Number(await readFile(places.pid, 'utf8').catch(() => ''));
  if (!pid) return { kind: 'unstarted' };
  return (await runsProgram(pid, places.supervisor)) ? { kind: 'living', pid } : { kind: 'gone' };
}

/** Ends the sandbox: TERM, and KILL after a moment. Returns when its keeper has gone. */
export async function endKeeper(places: SandboxPlaces): Promise<void> {
  const killAt = performance.now() + GRACE_MS;
  let [sent, killed] = [false, false];
  for (let state = await keeperState(places); state.kind === 'living'; state = await keeperState(places)) {
    if (!sent) signal(state.pid, 'SIGTERM');
    sent = true;
    if (!killed && performance.now() > killAt) {
      killed = true;
      signal(state.pid, 'SIGKILL');
    }
    await sleep(POLL_MS);
  }
}

/** The words of a keeper about its end; undefined if it left none. */
export async function lastWords({ over }: SandboxPlaces): Promise<string | undefined> {
  return readFile(over, 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
