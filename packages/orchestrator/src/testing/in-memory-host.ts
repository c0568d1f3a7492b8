import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import { clearHost } from '../host/clear-host.ts';
import { HostError, type HostErrorCode } from '../host/host-error.ts';
import type {
  HostHealth,
  HostLimits,
  SandboxEvent,
  SandboxHost,
  SandboxSpec,
  SandboxState,
} from '../host/sandbox-host.ts';
import { WakeQueue } from '../wake-queue.ts';
import { CONTRACT_PROGRAMS, type Program } from './in-memory-programs.ts';
import { InMemorySidecar } from './in-memory-sidecar.ts';

const STORE = 'store';

/** A SandboxHost without machines, for unit tests. Programs are functions, by the path a request names. */
export class InMemoryHost implements SandboxHost {
  readonly name: string;
  pulls?: 'any' | 'public';
  readonly limits: HostLimits = { roomWaitMs: 3_600_000, keptSandboxes: 10 };
  readonly specs = new Map<string, SandboxSpec>();
  /** The handles of sandboxes that reserve nothing any more. */
  readonly released = new Set<string>();
  /** Whether `release` works, as it does only on new clusters. */
  releases = true;
  /** How many sandboxes may reserve something, and how many there may be. */
  quota = { reserving: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };
  /** How often somebody asked for a new sandbox. */
  asked = 0;
  /** How many sandboxes fit on the machines at the same time. */
  machines = Number.POSITIVE_INFINITY;
  readonly #programs: Readonly<Record<string, Program>>;
  readonly #network = new Map<string, InMemorySidecar>();
  readonly #states = new Map<string, SandboxState>();
  readonly #watchers = new Set<(event: SandboxEvent) => void>();

  constructor(name = 'in-memory', programs: Readonly<Record<string, Program>> = CONTRACT_PROGRAMS) {
    this.name = name;
    this.#programs = programs;
    new InMemorySidecar(STORE, {}, this.#network);
  }

  async create(spec: SandboxSpec): Promise<void> {
    if (this.specs.has(spec.handle)) return;
    this.asked++;
    if (this.#reserving() >= this.quota.reserving || this.specs.size >= this.quota.all) {
      throw new HostError('quota', `worker ${this.name} could not create ${spec.handle}: exceeded quota`);
    }
    this.specs.set(spec.handle, spec);
    new InMemorySidecar(spec.handle, this.#programs, this.#network);
    this.#set(spec.handle, { phase: 'pending' });
    queueMicrotask(() => this.#schedule());
  }

  async release(handle: string): Promise<boolean> {
    if (!this.specs.has(handle)) return true;
    if (!this.releases) return false;
    this.released.add(handle);
    this.#freed();
    return true;
  }

  async restore(handle: string): Promise<void> {
    this.released.delete(handle);
  }

  async *watch(signal: AbortSignal): AsyncGenerator<SandboxEvent> {
    const queue = new WakeQueue<SandboxEvent>();
    for (const [handle, state] of this.#states) queue.push({ kind: 'state', handle, state });
    queue.push({ kind: 'synced' });
    const watcher = (event: SandboxEvent) => queue.push(event);
    this.#watchers.add(watcher);
    try {
      yield* queue.drain(signal);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  async connect(handle: string): Promise<BaggageclaimClient> {
    return this.sidecar(handle);
  }

  async store(): Promise<BaggageclaimClient> {
    return this.sidecar(STORE);
  }

  async imageReference(path: string, digest: string): Promise<string> {
    return `store.local/${path}@${digest}`;
  }

  async destroy(handle: string): Promise<void> {
    if (!this.specs.delete(handle)) return;
    this.#network.delete(handle);
    this.released.delete(handle);
    this.#set(handle, { phase: 'gone' });
    this.#freed();
  }

  async list(): Promise<string[]> {
    return [...this.specs.keys()];
  }

  async check(): Promise<HostHealth> {
    return { usable: true, problems: [] };
  }

  clear(signal: AbortSignal): Promise<boolean> {
    return clearHost(this, signal);
  }

  /** For tests: looks inside a sandbox. */
  sidecar(handle: string): InMemorySidecar {
    const sidecar = this.#network.get(handle);
    if (!sidecar) throw new Error(`no sandbox ${handle}`);
    return sidecar;
  }

  /** For tests: what happens to a sandbox when its machine does. */
  fail(handle: string, reason: string, code: HostErrorCode = 'ended'): void {
    this.#set(handle, { phase: 'failed', code, reason });
  }

  notice(handle: string, text: string): void {
    for (const watcher of this.#watchers) watcher({ kind: 'notice', handle, text });
  }

  #reserving(): number {
    return [...this.specs.keys()].filter((handle) => !this.released.has(handle)).length;
  }

  #freed(): void {
    for (const watcher of this.#watchers) watcher({ kind: 'room' });
    this.#schedule();
  }

  /** Starts pending sandboxes while the machines have room for them. */
  #schedule(): void {
    const pending = [...this.#states].filter(([, { phase }]) => phase === 'pending').map(([handle]) => handle);
    let running = this.#reserving() - pending.length;
    for (const handle of pending) {
      const room = running < this.machines;
      if (room) running++;
      this.#set(handle, room ? { phase: 'ready' } : { phase: 'pending', reason: 'no machine has room', noRoom: true });
    }
  }

  #set(handle: string, state: SandboxState): void {
    if (state.phase === 'gone') this.#states.delete(handle);
    else this.#states.set(handle, state);
    for (const watcher of this.#watchers) watcher({ kind: 'state', handle, state });
  }
}
