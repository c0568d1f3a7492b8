import { makeIdentityKey } from '@seaplane/credentials';
import { addIdentityKey, deleteReplacedIdentityKeys, type IdentityAlgorithm, isIdentityKeyFresh } from '@seaplane/db';
import type pg from 'pg';
import type { Component } from './component.ts';

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
  readonly periods: IdentityKeyPeriods;
  readonly makeKey?: typeof makeIdentityKey;
  readonly intervalMs?: number;
}

/** Makes the keys that sign identity tokens, replaces them when they are old, and deletes replaced ones. */
export function identityKeys({ pool, periods, makeKey = makeIdentityKey, intervalMs }: IdentityKeysContext): Component {
  return {
    name: 'signing_key_lifecycler',
    channels: [],
    lock: 'component',
    intervalMs: intervalMs ?? periods.checkMs,
    async look(signal) {
      for (const algorithm of ALGORITHMS) {
        if (await isIdentityKeyFresh(pool, algorithm, periods.rotationMs)) continue;
        const key = await makeKey(algorithm);
        signal.throwIfAborted(); // without the lock, another web makes a key as well
        await addIdentityKey(pool, key);
      }
      await deleteReplacedIdentityKeys(pool, periods.graceMs + SIGNING_MS);
      return undefined;
    },
  };
}
