import type { JsonObject, VarSourceConfig } from '@seaplane/config';
import { quiet } from '@seaplane/engine/testing';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import type { Identity, IdentityAlgorithm } from '../identity/identity.ts';
import { makeIdentityKey } from '../identity/make-identity-key.ts';
import type { VarScope } from '../manager.ts';
import { lookUp, openCredentialsOf, type TestCredentials } from '../testing/open-credentials.ts';

const START = Date.UTC(2026, 0, 1) / 1000;
const SCOPE: VarScope = { team: 'a/b', pipeline: 'p', job: 'unit', instanceVars: { branch: 'x/y' } };
const RSA_BITS = 2048;

type Key = Awaited<ReturnType<typeof makeIdentityKey>>;
let keys: Record<IdentityAlgorithm, Key>;
beforeAll(async () => {
  keys = { RS256: await makeIdentityKey('RS256', RSA_BITS), ES256: await makeIdentityKey('ES256') };
});

function open(newestKey: Identity['newestKey'] = async (algorithm) => keys[algorithm]): TestCredentials {
  return openCredentialsOf({ issuer: 'https://ci.example', newestKey });
}

async function token(credentials: TestCredentials, config: JsonObject = {}, scope = SCOPE): Promise<string> {
  const source: VarSourceConfig = { name: 'id', type: 'idtoken', config };
  return (await lookUp(credentials.credentials.variables([source], scope), 'id:token')) as string;
}

/** The claims of a token, if its signature holds. */
async function claimsOf(text: string): Promise<object> {
  const published = createLocalJWKSet({ keys: [keys.RS256.publicJwk, keys.ES256.publicJwk] as never });
  return (await jwtVerify(text, published, { currentDate: new Date(START * 1000) })).payload;
}

test('[CRED15] a token names its issuer, team, pipeline, instance vars and job, and lives for an hour', async () => {
  await using credentials = open();
  const text = await token(credentials, { audience: ['sts.amazonaws.com', 'vault'] });
  expect(decodeProtectedHeader(text)).toEqual({ alg: 'RS256', kid: keys.RS256.id });
  expect(await claimsOf(text)).toEqual({
    iss: 'https://ci.example',
    sub: 'a%2Fb/p',
    aud: ['sts.amazonaws.com', 'vault'],
    iat: START,
    exp: START + 3600,
    team: 'a/b',
    pipeline: 'p',
    job: 'unit',
    instance_vars: { branch: 'x/y' },
  });
});

test('[CRED15] algorithm and lifetime are configured; a check has no job, and a pipeline may have no instance vars', async () => {
  await using credentials = open();
  const text = await token(credentials, { algorithm: 'ES256', expires_in: '90s' }, { team: 't', pipeline: 'p' });
  expect(decodeProtectedHeader(text)).toEqual({ alg: 'ES256', kid: keys.ES256.id });
  const own = { team: 't', pipeline: 'p', job: '' };
  expect(await claimsOf(text)).toEqual({
    ...own,
    iss: 'https://ci.example',
    sub: 't/p',
    iat: START,
    exp: START + 90,
  });
});

test.each([
  ['', 'a%2Fb/p'],
  ['team', 'a%2Fb'],
  ['pipeline', 'a%2Fb/p'],
  ['instance', 'a%2Fb/p/branch:"x%2Fy"'],
  ['job', 'a%2Fb/p/branch:"x%2Fy"/unit'],
])('[CRED16] the subject of scope "%s" is %s', async (scope, subject) => {
  await using credentials = open();
  expect(await claimsOf(await token(credentials, { subject_scope: scope }))).toMatchObject({ sub: subject });
});

test('[CRED16] a subject without instance vars keeps their place', async () => {
  await using credentials = open();
  const text = await token(credentials, { subject_scope: 'job' }, { team: 't', pipeline: 'p', job: 'j' });
  expect(await claimsOf(text)).toMatchObject({ sub: 't/p//j' });
});

test('[CRED17] every lookup signs a token, so that each has its whole lifetime and the newest key', async () => {
  await using credentials = open();
  const first = await token(credentials);
  await credentials.clock.advance(30_000);
  keys = { ...keys, RS256: await makeIdentityKey('RS256', RSA_BITS) };
  const second = await token(credentials);
  expect(second).not.toBe(first);
  expect(await claimsOf(second)).toMatchObject({ iat: START + 30, exp: START + 3630 });
  expect(decodeProtectedHeader(second).kid).toBe(keys.RS256.id);
});

test('[CRED18] a lookup waits for the first key; another variable than token is an error', async () => {
  const answers = [undefined, undefined, keys.RS256];
  await using credentials = open(async () => answers.shift());
  const waiting = token(credentials);
  waiting.catch(() => {});
  await credentials.clock.advance(1_000);
  await credentials.clock.advance(1_000);
  await quiet();
  expect(await claimsOf(await waiting)).toMatchObject({ sub: 'a%2Fb/p' });

  const variables = credentials.credentials.variables([{ name: 'id', type: 'idtoken', config: {} }], SCOPE);
  await expect(lookUp(variables, 'id:jwt')).rejects.toThrow(
    "idtoken credential provider only supports the field 'token'",
  );
});
