import { setTimeout as sleep } from 'node:timers/promises';
import type { Layout } from '../layout.ts';
import { type ClusterInit, insideOf } from './namespaces.ts';
import { logTail, recordedPid, startRecorded } from './recorded-process.ts';

const POLL_MS = 50;

/**
 * Lets Go programs use more memory before they look for garbage. Machines of contributors are short of processor time: 30 pods
 * cost a tenth less of it. What containerd starts inherits it; what runs in pods does not.
 */
const MORE_MEMORY = { GOGC: '400' };

export interface Daemon {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a daemon inside the cluster unless it runs already. It ends with the cluster's init, not with us. */
export async function startDaemon(layout: Layout, init: ClusterInit, daemon: Daemon): Promise<void> {
  if (await isDaemonAlive(layout, daemon.name)) return;
  const env = { ...MORE_MEMORY, ...process.env, ...daemon.env };
  await startRecorded(layout, daemon.name, [...insideOf(init), ...daemon.command], env);
}

/** The pid is that of the `nsenter` that waits for the daemon. */
export async function isDaemonAlive(layout: Layout, name: string): Promise<boolean> {
  return (await recordedPid(layout, name)) !== undefined;
}

/** Waits until `ready` holds; gives up, with the daemon's last words, when it dies or `timeoutMs` have passed. */
export async function waitFor(
  layout: Layout,
  daemon: string,
  what: string,
  ready: () => Promise<boolean>,
  timeoutMs = 90_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await ready().catch(() => false)) return;
    if (!(await isDaemonAlive(layout, daemon)))
      throw new Error(`${daemon} died while waiting for ${what}:\n${await logTail(layout, daemon)}`);
    if (performance.now() > deadline) {
      throw new Error(`no ${what} after ${timeoutMs / 1000} s; ${daemon} says:\n${await logTail(layout, daemon)}`);
    }
    await sleep(POLL_MS);
  }
}
