import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { LAYOUT } from './layout.ts';

/**
 * Its own /run, because Concourse's containerd insists on /run/containerd/containerd.sock, and its own layer over
 * /var/lib, because the network plugins keep their leases in /var/lib/cni. Only our state is really written.
 */
const SET_UP_MOUNTS = [
  'mount -t tmpfs -o mode=755 tmpfs /run',
  'mkdir /run/state /run/upper /run/work',
  `mount --bind ${LAYOUT.state} /run/state`,
  'mount -t overlay -o lowerdir=/var/lib,upperdir=/run/upper,workdir=/run/work overlay /var/lib',
  `mount --move /run/state ${LAYOUT.state}`,
].join(' && ');

/**
 * Network, mount and PID namespaces that hold a whole Concourse. Their first process is a child of ours that the kernel
 * ends when we end, however that happens; and with the first process of a PID namespace it ends all others, containers
 * among them, and removes their mounts, bridges and packet filter rules. So there is nothing to clean up by hand.
 *
 * The network leads nowhere but to this machine: whatever is sent elsewhere is lost.
 */
export class Namespaces {
  readonly #holder: ChildProcess;
  readonly #init: number;
  readonly #cgroupFiles: readonly string[];

  private constructor(holder: ChildProcess, init: number, cgroupFiles: readonly string[]) {
    this.#holder = holder;
    this.#init = init;
    this.#cgroupFiles = cgroupFiles;
  }

  /** `cgroupFiles`: what each process started inside writes 0 to, to join its cgroups. */
  static async start(cgroupFiles: readonly string[]): Promise<Namespaces> {
    const unshare = ['unshare', '--net', '--mount', '--propagation', 'private', '--pid', '--fork'];
    unshare.push('--kill-child=KILL', '--mount-proc');
    const script = `${SET_UP_MOUNTS} && echo ready && exec tini -s -- sleep infinity`;
    const holder = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...unshare, '--', 'sh', '-c', script], {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a Ctrl-C in the terminal is for us to act on
    });
    let said = '';
    holder.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    const failed = once(holder, 'close').then(() => {
      throw new Error(`the namespaces could not be made:\n${said.trim()}`);
    });
    await Promise.race([once(createInterface({ input: holder.stdout }), 'line'), failed]);
    failed.catch(() => {}); // from here on it ends when we want it to
    const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8');
    const namespaces = new Namespaces(holder, Number(children.trim()), cgroupFiles);
    try {
      await namespaces.#connect();
    } catch (error) {
      await namespaces[Symbol.asyncDispose]();
      throw error;
    }
    return namespaces;
  }

  /** Starts a program inside; it logs to `logFile` and ends with the namespaces at the latest. */
  spawn(command: readonly string[], env: NodeJS.ProcessEnv, logFile: string): ChildProcess {
    const log = openSync(logFile, 'a');
    const [program, ...args] = this.#enter(command);
    return spawn(program as string, args, { cwd: '/', env, detached: true, stdio: ['ignore', log, log] });
  }

  /** Runs a program inside to its end and returns what it printed. */
  async run(command: readonly string[]): Promise<string> {
    const [program, ...args] = this.#enter(command);
    return (await run(program as string, args)).stdout;
  }

  /** Ends every process inside; they are gone when this returns. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const ended = once(this.#holder, 'exit');
    // The first process of a PID namespace is reaped only after all others in it, and the holder waits for it.
    process.kill(this.#init, 'SIGKILL');
    await ended;
    await run('ip', ['link', 'del', LAYOUT.hostLink], { ok: 'any' }); // the kernel would, a little later
  }

  #enter(command: readonly string[]): string[] {
    const join = this.#cgroupFiles.map((file) => `echo 0 >${file}`).join(' && ');
    const enter = ['nsenter', '-t', String(this.#init), '--net', '--mount', '--pid', '--wd=/', '--'];
    return [...enter, 'sh', '-c', `${join || ':'} && exec "$@"`, 'sh', ...command];
  }

  async #connect(): Promise<void> {
    const { hostLink, hostIp, ip } = LAYOUT;
    const onHost = (words: string) => run('ip', words.split(' '));
    const inside = (words: string) => this.run(['ip', ...words.split(' ')]);
    await run('ip', ['link', 'del', hostLink], { ok: 'any' }); // the kernel may still be removing an earlier run's
    await onHost(`link add ${hostLink} type veth peer name uplink netns ${this.#init}`);
    await onHost(`addr add ${hostIp}/30 dev ${hostLink}`);
    await onHost(`link set ${hostLink} up`);
    await inside('link set lo up');
    await inside(`addr add ${ip}/30 dev uplink`);
    await inside('link set uplink up');
    await inside('route add blackhole default');
  }
}
