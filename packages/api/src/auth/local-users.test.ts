import bcrypt from 'bcryptjs';
import { expect, test } from 'vitest';
import { findLocalUser, parseLocalUsers } from './local-users.ts';

test('[API-LOCAL1] names and passwords, which may hold colons', () => {
  expect(parseLocalUsers('test:test,guest:a:b')).toEqual([
    { name: 'test', password: 'test' },
    { name: 'guest', password: 'a:b' },
  ]);
});

test.each(['a:secret,word', 'a:secret,:word', 'a:secret,b:'])(
  '[API-LOCAL1] an entry without a name or password (%s) is told by its place, since it may be a password',
  (text) => {
    expect(() => parseLocalUsers(text)).toThrow(/^local user 2 of 2 is not written NAME:PASSWORD$/);
  },
);

test('[API-LOCAL2] a right password, plain or as a bcrypt hash, and nothing else', async () => {
  const hash = await bcrypt.hash('secret', 4);
  const users = [...parseLocalUsers('plain:secret'), { name: 'hashed', password: hash }];
  for (const name of ['plain', 'hashed']) {
    expect(await findLocalUser(users, name, 'secret')).toMatchObject({ name: name });
    expect(await findLocalUser(users, name, 'wrong')).toBeUndefined();
    expect(await findLocalUser(users, name, '')).toBeUndefined();
  }
  expect(await findLocalUser(users, 'hashed', hash)).toBeUndefined();
  expect(await findLocalUser(users, 'nobody', 'secret')).toBeUndefined();
  expect(await findLocalUser(users, 'nobody', '')).toBeUndefined();
});

test('[API-LOCAL2] without any hash, too', async () => {
  const users = parseLocalUsers('plain:secret');
  expect(await findLocalUser(users, 'plain', 'secret')).toMatchObject({ name: 'plain' });
  expect(await findLocalUser(users, 'plain', 'wrong')).toBeUndefined();
  expect(await findLocalUser(users, 'nobody', '')).toBeUndefined();
});

test('[API-LOCAL3] a name in any case is its user’s', async () => {
  const users = parseLocalUsers('Ada:secret');
  expect(await findLocalUser(users, 'aDA', 'secret')).toEqual({ name: 'Ada', password: 'secret' });
});
