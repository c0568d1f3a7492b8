import type pg from 'pg';
import { AutoResetEvent } from '../auto-reset-event.ts';
import { LockConnection } from './lock-connection.ts';
import { type LockKind, lockKey } from './lock-key.ts';

export interface Lock extends AsyncDisposable {
  /** Aborted when the lock is lost: its connection has ended, and another web may have it by now. */
  readonly lost: AbortSignal;
  /** Idempotent, and never throws. */
  release(): Promise<void>;
}

const POLL_MS = 200;
const PROBE_INTERVAL_MS = 15_000;
/** Long, because ending a connection that is only slow costs every lock. */
const PROBE_TIMEOUT_MS = 30_000;

interface Held {
  readonly connection: LockConnection;
  readonly lost: AbortController;
}

/**
 * Locks that all webs on one database respect. They are PostgreSQL's advisory locks, held by one dedicated connection
 * of this process, which is opened for the first lock.
 *
 * A key is in one of these states, as seen by this process:
 *
 * - free: not in `#held`. Nobody has the lock, or another process has it: only the server knows. `tryAcquire` moves the
 *   key to asking.
 * - asking: `tryAcquire` waits for the server's answer. Others in this process get `undefined` meanwhile, because
 *   PostgreSQL would grant a lock twice to the same session. The answer moves the key to held or back to free.
 * - held: one `Lock` exists, bound to the connection that got it. `release` moves the key to free. If the connection
 *   ends, the server has freed all its locks, so each held key of that connection becomes free and its `lost` is
 *   aborted: another web may have the lock already, and the holder must stop.
 *
 * Waiters (`acquire`) try again when a key becomes free in this process, and every 200 ms, because another process does
 * not announce its release. Among waiters there is no order.
 *
 * The connection is probed: if the server does not answer for half a minute, the connection is ended, and with it every
 * lock. The next lock opens a new connection. `close` ends the connection and thereby frees all locks; after it,
 * `tryAcquire` throws. If an unlock fails, the connection is destroyed, so that the server frees the lock anyway.
 */
export class Locks implements AsyncDisposable {
  readonly #pool: pg.Pool;
  /** Keys that are asking or held. A key that is not here is free. */
  readonly #held = new Map<string, Held | 'asking'>();
  readonly #waiting = new Map<string, Set<AutoResetEvent>>();
  #connection: Promise<LockConnection> | undefined;
  #probe: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the lock, or undefined if anybody has it, in this process or another. */
  async tryAcquire(kind: LockKind, id: number | string): Promise<Lock | undefined> {
    const key = lockKey(kind, id);
    if (this.#closed) throw new Error('the locks are closed');
    if (this.#held.has(key)) return undefined;
    this.#held.set(key, 'asking');
    try {
      const connection = await this.#connect();
      if (await connection.tryLock(key)) {
        const held = { connection, lost: new AbortController() };
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

  /** Waits for the lock. Calls `onWait` once if it has to wait. Rejects with the signal's reason. */
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
        const poll = setTimeout(() => released.set(), POLL_MS); // another web does not announce its release
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
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #connect(): Promise<LockConnection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  async #open(): Promise<LockConnection> {
    try {
      const connection: LockConnection = await LockConnection.open(this.#pool, () => this.#loseLocks(connection));
      this.#probe = setInterval(() => void connection.probe(PROBE_TIMEOUT_MS), PROBE_INTERVAL_MS).unref();
      return connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  #loseLocks(connection: LockConnection): void {
    clearInterval(this.#probe);
    this.#connection = undefined;
    for (const [key, held] of this.#held) {
      if (held === 'asking' || held.connection !== connection) continue;
      this.#free(key);
      held.lost.abort(new Error('the connection to the database that held this lock has ended'));
    }
  }

  #lock(key: string, held: Held): Lock {
    let released: Promise<void> | undefined;
    const unlock = async () => {
      if (this.#held.get(key) !== held) return;
      await held.connection.unlock(key);
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
