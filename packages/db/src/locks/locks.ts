import type pg from 'pg';
import { AutoResetEvent } from '../auto-reset-event.ts';
import { DedicatedClient } from '../dedicated-client.ts';
import { type LockKind, lockKey } from './lock-key.ts';

export interface Lock extends AsyncDisposable {
  /** Aborted when the lock is lost: its connection has ended, and another web may have it by now. */
  readonly lost: AbortSignal;
  /** Idempotent, and never throws. */
  release(): Promise<void>;
}

const POLL_MS = 200;
const PROBE_INTERVAL_MS = 15_000;
/** Long, since ending a connection that is only slow costs every lock. */
const PROBE_TIMEOUT_MS = 30_000;

interface Held {
  readonly client: DedicatedClient;
  readonly lost: AbortController;
}

/**
 * Locks that all webs on one database respect: PostgreSQL's advisory locks, held by one connection of this process's own.
 * If it ends, the server frees them all, and so every holder is told. The next lock is taken on a new connection.
 */
export class Locks implements AsyncDisposable {
  readonly #pool: pg.Pool;
  /** Locks of this process, and those it is about to ask for: a session may take one of its own again, so we must know. */
  readonly #held = new Map<string, Held | 'asking'>();
  readonly #waiting = new Map<string, Set<AutoResetEvent>>();
  #client: Promise<DedicatedClient> | undefined;
  #probe: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The lock, or nothing if somebody has it. */
  async tryAcquire(kind: LockKind, id: number | string): Promise<Lock | undefined> {
    const key = lockKey(kind, id);
    if (this.#closed) throw new Error('the locks are closed');
    if (this.#held.has(key)) return undefined;
    this.#held.set(key, 'asking');
    try {
      const client = await this.#connect();
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [key]);
      if (rows[0]?.locked) {
        const held = { client, lost: new AbortController() };
        this.#held.set(key, held);
        return this.#lock(key, held);
      }
      this.#held.delete(key);
      return undefined;
    } catch (error) {
      this.#held.delete(key);
      throw error;
    }
  }

  /** Waits for the lock. `onWait` is called once, if it has to. */
  async acquire(
    kind: LockKind,
    id: number | string,
    signal: AbortSignal,
    onWait?: () => void | Promise<void>,
  ): Promise<Lock> {
    const released = new AutoResetEvent();
    const key = lockKey(kind, id);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(released));
    try {
      for (let round = 0; ; round++) {
        signal.throwIfAborted();
        const lock = await this.tryAcquire(kind, id);
        if (lock) return lock;
        if (round === 0) await onWait?.();
        const poll = setTimeout(() => released.set(), POLL_MS); // another web does not tell when it releases
        await released.wait(signal).finally(() => clearTimeout(poll));
      }
    } finally {
      waiting.delete(released);
      if (waiting.size === 0) this.#waiting.delete(key);
    }
  }

  /** Frees every lock. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#probe);
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #connect(): Promise<DedicatedClient> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<DedicatedClient> {
    try {
      const client: DedicatedClient = await DedicatedClient.connect(this.#pool, () => this.#ended(client));
      this.#probe = setInterval(() => void client.probe(PROBE_TIMEOUT_MS), PROBE_INTERVAL_MS).unref();
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }

  #ended(client: DedicatedClient): void {
    clearInterval(this.#probe);
    this.#client = undefined;
    for (const [key, held] of this.#held) {
      if (held === 'asking' || held.client !== client) continue;
      this.#free(key);
      held.lost.abort(new Error('the connection to the database that held this lock has ended'));
    }
  }

  #lock(key: string, held: Held): Lock {
    let released: Promise<void> | undefined;
    const unlock = async () => {
      if (this.#held.get(key) !== held) return;
      try {
        await held.client.query('SELECT pg_advisory_unlock($1)', [key]);
      } catch {
        held.client.destroy(); // so that the server frees it
      }
      if (this.#held.get(key) === held) this.#free(key);
    };
    const release = () => {
      released ??= unlock();
      return released;
    };
    return { lost: held.lost.signal, release, [Symbol.asyncDispose]: release };
  }

  #free(key: string): void {
    this.#held.delete(key);
    for (const released of this.#waiting.get(key) ?? []) released.set();
  }
}
