import { expect, test } from 'vitest';
import { makeIdentityKey } from './make-identity-key.ts';

test('[CRED19] a key has an id of its own, and nothing private in its public half', async () => {
  const { id, publicJwk, privateJwk } = await makeIdentityKey('ES256');
  expect(id).toMatch(/^\d{18}$/);
  expect(publicJwk).toEqual({
    kty: 'EC',
    crv: 'P-256',
    x: expect.any(String),
    y: expect.any(String),
    kid: id,
    alg: 'ES256',
    use: 'sig',
  });
  expect(privateJwk).toEqual({ ...publicJwk, d: expect.any(String) });

  const rsa = await makeIdentityKey('RS256', 2048);
  expect(Object.keys(rsa.publicJwk).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  expect(rsa.id).not.toBe(id);
});
