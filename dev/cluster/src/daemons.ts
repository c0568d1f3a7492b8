import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Layout } from './layout.ts';
import { type ClusterInit, insideOf } from './namespaces.ts';

const POLL_MS = 50;

export interface Daemon {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a daemon inside the cluster unless it runs already. It ends with the cluster's init, not with us. */
export async function startDaemon(layout: Layout, init: ClusterInit, daemon: Daemon): Promise<void> {
  if (await isDaemonAlive(layout, daemon.name)) return;
  const log = openSync(logFile(layout, daemon.name), 'a');
  const [program, ...args] = [...insideOf(init), ...daemon.command] as [string, ...string[]];
  const child = spawn(program, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...daemon.env },
  });
  child.on('error', () => {}); // seen as a daemon that is not alive
  child.unref();
  await writeFile(pidFile(layout, daemon.name), String(child.pid));
}

/** The pid is that of the `nsenter` that waits for the daemon; its command line names our state directory. */
export async function isDaemonAlive(layout: Layout, name: string): Promise<boolean> {
  const pid = await readFile(pidFile(layout, name), 'utf8').catch(() => '');
  if (!pid) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(layout.state);
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

async function logTail(layout: Layout, name: string): Promise<string> {
  const text = await readFile(logFile(layout, name), 'utf8').catch(() => '(no log)');
  return `${text.trimEnd().split('\n').slice(-10).join('\n')}\n(all of it: ${logFile(layout, name)})`;
}

function logFile(layout: Layout, name: string): string {
  return join(layout.state, 'log', `${name}.log`);
}

function pidFile(layout: Layout, name: string): string {
  return join(layout.state, 'pid', name);
}
