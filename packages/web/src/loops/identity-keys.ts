import type { JsonObject } from '@seaplane/config';
import { type Identity, type IdentityKey, makeKeyApart } from '@seaplane/credentials';
import {
  addIdentityKey,
  deleteReplacedIdentityKeys,
  findNewestIdentityKey,
  type IdentityAlgorithm,
  isIdentityKeyFresh,
  type Locks,
  listPublicIdentityKeys,
} from '@seaplane/db';
import type pg from 'pg';
import type { Component } from './component.ts';

const NAME = 'signing_key_lifecycler';
const ALGORITHMS: readonly IdentityAlgorithm[] = ['RS256', 'ES256'];
/** A token may be signed with a key that was replaced while its signer held it, for at most this long. */
const SIGNING_MS = 60_000;

/** How long keys of identity tokens live. */
export interface IdentityKeyPeriods {
  /** How often web looks at the keys. */
  readonly checkMs: number;
  /** A key that is older is replaced. 0: keys are never replaced. */
  readonly rotationMs: number;
  /** A replaced key is published for this long, so that tokens it has signed can be verified. */
  readonly graceMs: number;
}

export interface IdentityKeysContext {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'acquire'>;
  readonly periods: IdentityKeyPeriods;
  readonly makeKey?: (algorithm: IdentityAlgorithm, signal: AbortSignal) => Promise<IdentityKey>;
  readonly intervalMs?: number;
}

/**
 * The keys that sign identity tokens. The component replaces them when they are old, and deletes replaced ones. Whoever
 * needs the first keys before the component has made them makes them under the component's lock.
 */
export class IdentityKeys {
  readonly #context: IdentityKeysContext;
  /** Aborted when web stops. */
  readonly #stopping: AbortSignal;

  constructor(context: IdentityKeysContext, stopping: AbortSignal) {
    this.#context = context;
    this.#stopping = stopping;
  }

  get component(): Component {
    const { pool, periods, intervalMs = periods.checkMs } = this.#context;
    return {
      name: NAME,
      channels: [],
      lock: 'component',
      intervalMs,
      look: async (signal) => {
        await this.#makeKeys(periods.rotationMs, signal);
        await deleteReplacedIdentityKeys(pool, periods.graceMs + SIGNING_MS);
        return undefined;
      },
    };
  }

  async newestKey(algorithm: IdentityAlgorithm): ReturnType<Identity['newestKey']> {
    const { pool } = this.#context;
    const key = await findNewestIdentityKey(pool, algorithm);
    if (key) return key;
    await this.#makeFirstKeys();
    return findNewestIdentityKey(pool, algorithm);
  }

  async publicKeys(): Promise<readonly JsonObject[]> {
    const { pool } = this.#context;
    const keys = await listPublicIdentityKeys(pool);
    if (keys.length >= ALGORITHMS.length) return keys;
    await this.#makeFirstKeys();
    return listPublicIdentityKeys(pool);
  }

  async #makeFirstKeys(): Promise<void> {
    await using lock = await this.#context.locks.acquire('component', NAME, this.#stopping);
    await this.#makeKeys(0, AbortSignal.any([this.#stopping, lock.lost]));
  }

  async #makeKeys(maxAgeMs: number, signal: AbortSignal): Promise<void> {
    const { pool, makeKey = makeKeyApart } = this.#context;
    for (const algorithm of ALGORITHMS) {
      if (await isIdentityKeyFresh(pool, algorithm, maxAgeMs)) continue;
      const key = await makeKey(algorithm, signal);
      signal.throwIfAborted(); // without the lock, another web makes a key as well
      await addIdentityKey(pool, key);
    }
  }
}
