import { spawn } from 'node:child_process';
import { readlink, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Sandbox {
  /** The root directory the program sees; default this machine's. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program as a privileged container would: root inside is root outside. */
export function runPrivileged(command: readonly string[], sandbox: Sandbox = {}): Promise<Outcome> {
  const child = start(inRoot(command, sandbox.root), sandbox);
  child.stdin.end(sandbox.input ?? '');
  return outcome(child);
}

/** Runs a program in a user namespace of its own, as an unprivileged container does: 0 inside is 100000 outside. */
export async function runUnprivileged(command: readonly string[], sandbox: Sandbox = {}): Promise<Outcome> {
  // The shell waits for a line before it goes on, so that the maps are there when the program starts.
  const waiting = ['unshare', '--user', 'sh', '-c', 'read _ && exec "$@"', 'sh', ...inRoot(command, sandbox.root)];
  const child = start(waiting, sandbox);
  const namespace = await readlink('/proc/self/ns/user');
  while ((await readlink(`/proc/${child.pid}/ns/user`)) === namespace) await sleep(1);
  await writeFile(`/proc/${child.pid}/uid_map`, '0 100000 65536');
  await writeFile(`/proc/${child.pid}/gid_map`, '0 100000 65536');
  child.stdin.end(`\n${sandbox.input ?? ''}`);
  return outcome(child);
}

/** With a root of its own the program also gets its own processes, and `/proc` of those. */
function inRoot(command: readonly string[], root: string | undefined): readonly string[] {
  if (!root) return command;
  return [
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    `--mount-proc=${root}/proc`,
    'chroot',
    root,
    ...command,
  ];
}

function start([program = '', ...args]: readonly string[], { env }: Sandbox) {
  const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
  const child = spawn(program, args, { env: { PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // a program may end without reading its input
  return child;
}

async function outcome(child: ReturnType<typeof start>): Promise<Outcome> {
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
