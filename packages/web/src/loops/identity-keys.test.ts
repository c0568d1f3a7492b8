import { once } from 'node:events';
import { findNewestIdentityKey, type IdentityAlgorithm, Locks, listPublicIdentityKeys } from '@seaplane/db';
import { createTestDatabase, type TestDatabase } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ComponentRunner } from './component-runner.ts';
import { IdentityKeys, type IdentityKeysContext } from './identity-keys.ts';

const HOUR_MS = 3_600_000;
const PERIODS = { checkMs: 600_000, rotationMs: 168 * HOUR_MS, graceMs: 24 * HOUR_MS };
const NO_SIGNAL = new AbortController().signal;

let database: TestDatabase;
let made: number;
beforeEach(async () => {
  database = await createTestDatabase();
  made = 0;
});
afterEach(() => database[Symbol.asyncDispose]());

/** Keys that sign nothing. */
async function makeKey(algorithm: IdentityAlgorithm) {
  const id = String(++made);
  return { id, algorithm, publicJwk: { kid: id }, privateJwk: { kid: id } };
}

function keysOf(
  locks: Locks,
  periods = PERIODS,
  make: NonNullable<IdentityKeysContext['makeKey']> = makeKey,
): IdentityKeys {
  return new IdentityKeys({ pool: database.pool, locks, periods, makeKey: make }, NO_SIGNAL);
}

async function look(periods = PERIODS): Promise<void> {
  await using locks = new Locks(database.pool);
  await keysOf(locks, periods).component.look(NO_SIGNAL, () => {});
}

const published = async () => (await listPublicIdentityKeys(database.pool)).map(({ kid }) => kid);

/** Lets time pass for the keys. */
async function pass(ms: number): Promise<void> {
  await database.pool.query('UPDATE identity_key SET created_at = created_at - make_interval(secs => $1)', [ms / 1000]);
}

test('[IDKEY1] web makes a key of each algorithm, replaces it when it is old, and deletes it after the grace period', async () => {
  await look();
  await look();
  expect(await published()).toEqual(['1', '2']);
  await pass(PERIODS.rotationMs - 60_000);
  await look();
  expect(await published()).toEqual(['1', '2']);
  await pass(60_000);
  await look();
  expect(await published()).toEqual(['1', '2', '3', '4']);
  await pass(PERIODS.graceMs);
  await look();
  expect(await published()).toEqual(['1', '2', '3', '4']);
  await pass(60_000);
  await look();
  expect(await published()).toEqual(['3', '4']);
});

test('[IDKEY1] a rotation period of 0 keeps the first keys for ever', async () => {
  const periods = { ...PERIODS, rotationMs: 0 };
  await look(periods);
  await pass(10 * PERIODS.rotationMs);
  await look(periods);
  expect(await published()).toEqual(['1', '2']);
});

test('[IDKEY2] one of two webs makes the keys', async () => {
  const { pool } = database;
  const gate = Promise.withResolvers<void>();
  const gated = async (algorithm: IdentityAlgorithm) => {
    await gate.promise;
    return makeKey(algorithm);
  };
  const problems: unknown[] = [];
  const start = async (locks: Locks) => {
    const notifications = { subscribe: () => ({ [Symbol.dispose]: () => {} }) };
    const context = { pool, locks, notifications, clock: manualClock(), onError: (e: unknown) => problems.push(e) };
    return ComponentRunner.start(context, [keysOf(locks, PERIODS, gated).component]);
  };
  await using oneLocks = new Locks(pool);
  await using otherLocks = new Locks(pool);
  await using _one = await start(oneLocks);
  await using _other = await start(otherLocks);
  gate.resolve();
  await expect.poll(published, { timeout: 10_000 }).toEqual(['1', '2']);
  expect(problems).toEqual([]);
});

test('[IDKEY4] whoever needs keys before web has made them makes them, once', async () => {
  await using oneLocks = new Locks(database.pool);
  await using otherLocks = new Locks(database.pool);
  const [one, other] = [keysOf(oneLocks), keysOf(otherLocks)];
  const asked = [one.publicKeys(), other.newestKey('ES256'), other.publicKeys()] as const;
  const [listed, newest, also] = await Promise.all(asked);
  expect([listed, also]).toEqual([
    [{ kid: '1' }, { kid: '2' }],
    [{ kid: '1' }, { kid: '2' }],
  ]);
  expect(newest?.id).toBe('2');
});

test('[IDKEY5] a web that stops gives up the key that it is making', async () => {
  const stopping = new AbortController();
  const begun = Promise.withResolvers<void>();
  const endless = async (_algorithm: IdentityAlgorithm, signal: AbortSignal): Promise<never> => {
    begun.resolve();
    await once(signal, 'abort');
    throw signal.reason;
  };
  await using locks = new Locks(database.pool);
  const looked = keysOf(locks, PERIODS, endless).component.look(stopping.signal, () => {});
  await begun.promise;
  stopping.abort(new Error('this web is stopping'));
  await expect(looked).rejects.toThrow('this web is stopping');
  expect(await published()).toEqual([]);
});

test('[IDKEY3] a token that lives no longer than the grace period can be verified until it expires', async () => {
  const step = fc.record({
    hours: fc.integer({ min: 0, max: 60 }),
    lives: fc.integer({ min: 0, max: 24 }),
    looks: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.constantFrom(6, 20, 168),
      async (steps, rotationHours) => {
        await database.pool.query('DELETE FROM identity_key');
        const periods = { ...PERIODS, rotationMs: rotationHours * HOUR_MS };
        await look(periods);
        let now = 0;
        const tokens: { readonly kid: string | undefined; readonly expires: number }[] = [];
        for (const { hours, lives, looks } of steps) {
          // The token is signed just before the look, which may replace its key.
          const newest = await findNewestIdentityKey(database.pool, 'RS256');
          tokens.push({ kid: newest?.id, expires: now + lives });
          if (looks) await look(periods);
          now += hours;
          await pass(hours * HOUR_MS);
          if (looks) await look(periods);
          const kids = await published();
          for (const { kid, expires } of tokens) if (now <= expires) expect(kids).toContain(kid);
        }
      },
    ),
    { numRuns: 20 },
  );
});
