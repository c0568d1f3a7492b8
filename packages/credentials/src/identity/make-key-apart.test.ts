import { expect, test } from 'vitest';
import { makeIdentityKey } from './make-identity-key.ts';
import { makeKeyApart } from './make-key-apart.ts';

test('[CRED24] a key that is made apart is like any other', async () => {
  const here = await makeIdentityKey('ES256');
  const apart = await makeKeyApart('ES256', new AbortController().signal);
  expect(Object.keys(apart.privateJwk)).toEqual(Object.keys(here.privateJwk));
  expect(apart).toMatchObject({ algorithm: 'ES256', publicJwk: { kid: apart.id } });
});

test('[CRED24] a key that takes long is given up when nobody wants it any more', async () => {
  const giveUp = new AbortController();
  // Such a key takes hours.
  const made = makeKeyApart('RS256', giveUp.signal, 65_536);
  giveUp.abort();
  await expect(made).rejects.toThrow('aborted');
});
