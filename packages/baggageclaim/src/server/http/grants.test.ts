import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSigner, generateKeys } from '../../client/signer.ts';
import type { Grant } from '../../protocol/grant.ts';
import { isWithin } from '../trees/is-within.ts';
import { createVerifier, requireRead, requireScope } from './grants.ts';

const NOW = 1_000_000;
const signer = createSigner(generateKeys().privateKey);
const grant: Grant = { aud: 'task-1', exp: NOW + 60, scope: ['run', 'read:/tmp/build/out'] };
const verify = await createVerifier('task-1', [generateKeys().publicKey, signer.publicKey]);

describe('tokens', () => {
  test('[BC3] a valid token of any of the keys is accepted', async () => {
    expect(await verify(signer.sign(grant), NOW)).toEqual(grant);
  });

  test.each([
    ['missing', undefined, 'no token'],
    ['of another key', createSigner(generateKeys().privateKey).sign(grant), 'not signed'],
    ['for another sandbox', signer.sign({ ...grant, aud: 'task-2' }), 'the token is for task-2, and this is task-1'],
    ['expired', signer.sign({ ...grant, exp: NOW - 31 }), 'expired at 1970-01-12T13:46:09.000Z'],
    ['malformed', 'nonsense', 'not signed'],
    ['too long', `${signer.sign(grant)}.x`, 'not signed'],
  ])('[BC3] a token that is %s is refused', async (_, token, message) => {
    const refusal = { code: 'unauthorized', message: expect.stringContaining(message) };
    await expect(verify(token, NOW)).rejects.toMatchObject(refusal);
  });

  test('[BC3] a change to any character is noticed', async () => {
    const token = signer.sign(grant);
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 2), fc.constantFrom(...'AZaz09-_'), async (at, character) => {
        // The last character of base64 may hold bits that mean nothing.
        fc.pre(token[at] !== character && token[at] !== '.' && token[at + 1] !== '.');
        await expect(verify(token.slice(0, at) + character + token.slice(at + 1), NOW)).rejects.toThrow();
      }),
    );
  });

  test('[BC21] a malformed key is refused', async () => {
    await expect(createVerifier('x', ['short'])).rejects.toThrow('not an Ed25519 public key');
  });
});

describe('scopes', () => {
  test('[BC3] only the scopes of the grant are allowed', () => {
    expect(() => requireScope(grant, 'run')).not.toThrow();
    expect(() => requireScope(grant, 'hijack')).toThrow('good for run, read:/tmp/build/out, not for hijack');
  });

  test.each([
    ['/tmp/build/out', true],
    ['/tmp/build/out/', true],
    ['/tmp/build/out/a/b', true],
    ['/tmp/build/outside', false],
    ['/tmp/build', false],
    ['/tmp/build/out/../other', false],
    ['/tmp/build/other/../out/x', true],
  ])('[BC15] reading %s is allowed: %s', (path, allowed) => {
    const asked = () => requireRead(grant, path);
    if (allowed) expect(asked).not.toThrow();
    else expect(asked).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  test('[BC15] every allowed path starts with the directory', () => {
    const segment = fc.constantFrom('..', '.', 'a', 'b', 'out', 'tmp', 'build');
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const path = `/tmp/build/out/${segments.join('/')}`;
        const resolved = new URL(path, 'file://').pathname;
        expect(isWithin(path, '/tmp/build/out')).toBe(/^\/tmp\/build\/out(\/|$)/.test(resolved));
      }),
    );
  });
});
