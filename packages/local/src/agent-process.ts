import { type ChildProcessWithoutNullStreams as AgentChild, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostError, type HostServices } from '@seaplane/orchestrator';
import type { AgentAccess } from './agent-access.ts';
import { callForJson } from './agent-call.ts';
import { agentCommand } from './agent-command.ts';
import type { Places } from './places.ts';
import { ownEnvironment } from './plain-environment.ts';
import { type AgentInfo, CONTROL, otherIsolation, READY, VARIABLE } from './protocol.ts';
import type { Registries } from './registries.ts';
import { Remembered } from './remembered.ts';

const INFO_MS = 5_000;
const LOOK_MS = 50;
const LINES_KEPT = 5;

export interface AgentConfig {
  readonly registries?: Registries;
  /** Sandboxes are plain processes of this user, without isolation. */
  readonly plainProcesses?: boolean;
}

export type AgentServices = Pick<HostServices, 'installation' | 'publicKey' | 'authorityKey' | 'onTrouble'>;

/**
 * The agent of a worker, a process that this one starts and ends. It ends with this process, however that ends: its
 * standard input is a pipe that nobody else holds. Sandboxes do not need it to run on. Webs that share the worker's
 * directory share the agent of the first.
 *
 * - _Unknown_: nobody has asked for the agent, or it has ended. The next call looks for it, and starts it if there is none.
 * - _Known_: it has answered. A call that finds it silent makes it unknown.
 */
export class AgentProcess implements AgentAccess {
  readonly control: AgentAccess['control'];
  readonly #places: Places;
  readonly #services: AgentServices;
  readonly #config: AgentConfig;
  readonly #nonce = crypto.randomUUID();
  readonly #info = new Remembered<AgentInfo>();
  /** The agent that this process has started, and it serves. */
  #serving: AgentChild | undefined;
  #child: AgentChild | undefined;
  #looking = false;
  #disposed = false;

  constructor(places: Places, services: AgentServices, config: AgentConfig = {}) {
    this.#places = places;
    this.control = { socketPath: places.socket, where: places.socket };
    this.#services = services;
    this.#config = config;
  }

  /** Where the agent serves. Starts the agent if there is none. */
  async info(): Promise<AgentInfo> {
    return this.#info.get(() => this.#look());
  }

  /** The agent did not answer a call. The next one looks for it again. While one looks, it is not forgotten: two would start two. */
  forget(): void {
    if (!this.#looking) this.#info.forget();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#child?.stdin.end();
  }

  async #look(): Promise<AgentInfo> {
    this.#looking = true;
    try {
      return await this.#find();
    } finally {
      this.#looking = false;
    }
  }

  async #find(): Promise<AgentInfo> {
    const running = await this.#ask().catch(() => undefined);
    if (running) return this.#own(running);
    if (this.#disposed) throw new HostError('unreachable', 'the local worker is closed');
    const child = await this.#spawn();
    const started = this.#started(child);
    started.catch(() => {}); // handled below, unless another agent was first
    for (;;) {
      const isReady = await Promise.race([started.then(() => true), sleep(LOOK_MS)]);
      const info = await this.#ask().catch(() => undefined);
      if (!info && !isReady) continue;
      if (info && info.nonce !== this.#nonce) child.stdin.end(); // another web was first
      return this.#own(info ?? (await this.#ask()));
    }
  }

  #ask(): Promise<AgentInfo> {
    return callForJson(this.control, { method: 'GET', path: CONTROL.info }, AbortSignal.timeout(INFO_MS));
  }

  #own(info: AgentInfo): AgentInfo {
    const { installation, publicKey } = this.#services;
    const { plainProcesses = false } = this.#config;
    if (info.plainProcesses !== plainProcesses) {
      throw new HostError('name-taken', otherIsolation(this.#places.root, info.plainProcesses));
    }
    if (info.installation === installation && info.publicKey === publicKey) return info;
    throw new HostError(
      'name-taken',
      `${this.#places.root} is in use by another installation: stop that one, or choose another directory`,
    );
  }

  async #spawn(): Promise<AgentChild> {
    const { installation, publicKey, authorityKey } = this.#services;
    const { registries = {}, plainProcesses = false } = this.#config;
    await mkdir(this.#places.root, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
      throw new HostError('location-gone', `the directory of the local worker can't be made: ${cause.message}`, {
        cause,
      });
    });
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...(process.env['NODE_COMPILE_CACHE'] ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } : {}),
      [VARIABLE.installation]: installation,
      [VARIABLE.publicKey]: publicKey,
      [VARIABLE.authorityKey]: authorityKey,
      [VARIABLE.nonce]: this.#nonce,
      [VARIABLE.registries]: JSON.stringify(registries),
      [VARIABLE.plainProcesses]: plainProcesses ? 'yes' : 'no',
      ...(plainProcesses ? ownEnvironment(process.env) : {}),
    };
    // A session of its own: Ctrl-C in a terminal is for web, which ends the agent itself.
    const [program = '', ...args] = agentCommand(plainProcesses, this.#places.root);
    const child = spawn(program, args, {
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    return child;
  }

  /** Resolves when the agent serves. */
  async #started(child: AgentChild): Promise<void> {
    const said = this.#listen(child);
    const ready = once(createInterface({ input: child.stdout }), 'line').then(([line]) => line === READY);
    const failed = once(child, 'error').then(([error]) => (error as Error).message);
    const ended = once(child, 'exit').then(([code, signal]) => `it ended with ${signal ?? `status ${code}`}`);
    void ended.then((how) => this.#ended(child, how));
    const problem = await Promise.race([ready.then(() => undefined), ended, failed]);
    if (problem === undefined) {
      this.#serving = child;
      return;
    }
    throw new HostError('cannot-start', `the agent of the local worker did not start: ${said().join(' ') || problem}`);
  }

  /** Keeps the agent's last lines, and reports each. */
  #listen(child: AgentChild): () => readonly string[] {
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > LINES_KEPT) lines.shift();
      if (this.#serving !== child) return; // its last lines are part of the error
      this.#services.onTrouble(new HostError('overloaded', `the agent of the local worker: ${line}`));
    });
    child.stdin.on('error', () => {});
    return () => lines;
  }

  /** An agent that has served is started again. One that could not start is started by the next call. */
  #ended(child: AgentChild, how: string): void {
    if (this.#serving !== child) return;
    this.#serving = undefined;
    this.forget();
    if (this.#disposed) return;
    const again = `the agent of the local worker has ended: ${how}; it is started again`;
    this.#services.onTrouble(new HostError('unreachable', again));
    this.info().catch((error: Error) => this.#services.onTrouble(error));
  }
}
