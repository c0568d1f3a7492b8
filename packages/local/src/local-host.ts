import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type {
  Endpoint,
  HostHealth,
  HostLimits,
  HostServices,
  OpenHost,
  SandboxEvent,
  SandboxSpec,
} from '@seaplane/orchestrator';
import { clearHost, HostError } from '@seaplane/orchestrator';
import type { AgentAccess } from './agent-access.ts';
import { type AgentCall, callAgent, callForJson, linesOf } from './agent-call.ts';
import { AgentProcess } from './agent-process.ts';
import type { LocalConfig } from './local-kind.ts';
import { placesIn } from './places.ts';
import { AGENT_NAME, CONTROL, HOST_IMAGE, STORE_PREFIX, sandboxPrefix } from './protocol.ts';

interface HostConfig extends Pick<LocalConfig, 'keptSandboxes'> {
  /** Sandboxes are plain processes, so that there are no images. */
  readonly plainProcesses?: boolean;
}

/** An agent that ends is started again within a moment. */
const TRIES = 3;

/**
 * Runs sandboxes on one machine. Its agent makes them and serves them: a process of its own, because it moves the bytes of
 * artifacts and, for an ordinary user, lives in another user namespace.
 */
class LocalHost implements OpenHost {
  readonly name: string;
  readonly limits: HostLimits;
  readonly ownImage = HOST_IMAGE;
  readonly images?: 'none';
  readonly pulls?: 'any';
  readonly #client: HostServices['client'];
  readonly #agent: AgentAccess;

  constructor(name: string, agent: AgentAccess, config: HostConfig, { client }: Pick<HostServices, 'client'>) {
    const { keptSandboxes, plainProcesses = false } = config;
    this.name = name;
    if (plainProcesses) this.images = 'none';
    else this.pulls = 'any';
    // A machine takes every sandbox at once, so nobody waits for room.
    this.limits = { roomWaitMs: 0, keptSandboxes };
    this.#client = client;
    this.#agent = agent;
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'POST', path: CONTROL.sandboxes, body: spec }, signal);
  }

  async *watch(signal: AbortSignal): AsyncGenerator<SandboxEvent> {
    try {
      await this.#agent.info(signal);
      const answer = await callAgent(this.#agent.control, { method: 'GET', path: CONTROL.watch }, signal);
      for await (const line of linesOf(answer)) yield JSON.parse(line) as SandboxEvent;
    } catch (error) {
      if (signal.aborted) return;
      this.#agent.forget();
      throw error instanceof HostError
        ? error
        : new HostError('unreachable', `the watch of the worker ${this.name} broke: ${(error as Error).message}`, {
            cause: error,
          });
    }
  }

  async connect(handle: string): Promise<BaggageclaimClient> {
    return this.#client(await this.#endpoint(handle, sandboxPrefix(handle)));
  }

  async store(): Promise<BaggageclaimClient> {
    return this.#client(await this.#endpoint(AGENT_NAME, STORE_PREFIX));
  }

  /** The agent's store answers with the reference itself: nothing is pulled. */
  async imageReference(path: string): Promise<string> {
    return path;
  }

  /** A sandbox whose process has ended holds no processor and, but for its supervisor's 0.2 MB, no memory. */
  async release(): Promise<boolean> {
    return true;
  }

  async restore(): Promise<void> {}

  async destroy(handle: string): Promise<void> {
    const { signal } = new AbortController();
    await this.#call({ method: 'DELETE', path: `${CONTROL.sandboxes}/${encodeURIComponent(handle)}` }, signal);
  }

  list(signal: AbortSignal): Promise<string[]> {
    return this.#call<string[]>({ method: 'GET', path: CONTROL.sandboxes }, signal);
  }

  async check(signal: AbortSignal): Promise<HostHealth> {
    try {
      return await this.#call<HostHealth>({ method: 'GET', path: CONTROL.check }, signal);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return { usable: false, problems: [error.message] };
    }
  }

  clear(signal: AbortSignal): Promise<boolean> {
    return clearHost(this, signal);
  }

  [Symbol.dispose](): void {
    this.#agent[Symbol.dispose]();
  }

  /** Every call can be repeated, and is while the agent does not answer. */
  async #call<T = void>(call: AgentCall, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      await this.#agent.info(signal);
      try {
        return await callForJson<T>(this.#agent.control, call, signal);
      } catch (error) {
        if (!(error instanceof HostError) || error.code !== 'unreachable' || tries === TRIES) throw error;
        this.#agent.forget();
      }
    }
  }

  async #endpoint(handle: string, prefix: string): Promise<Endpoint> {
    const { port } = await this.#agent.info();
    const url = `https://127.0.0.1:${port}${prefix}`;
    const { connect } = this.#agent;
    return { handle, serverName: AGENT_NAME, url, podUrl: url, ...(connect ? { connect } : {}) };
  }
}

/** The host of the machine that this process runs on. */
export function createLocalHost(name: string, config: LocalConfig, services: HostServices): OpenHost {
  const agent = new AgentProcess(placesIn(config.directory), services, config);
  return createHostOf(agent, name, config, services);
}

/** The host of a machine whose agent is reached in another way. */
export function createHostOf(
  agent: AgentAccess,
  name: string,
  config: HostConfig,
  services: Pick<HostServices, 'client'>,
): OpenHost {
  return new LocalHost(name, agent, config, services);
}
