import bcrypt from 'bcryptjs';
import { expect, test } from 'vitest';
import { checkPassword, parseLocalUsers } from './local-users.ts';

test('[LOCAL1] names and passwords, which may hold colons', () => {
  expect(parseLocalUsers('test:test,guest:a:b')).toEqual([
    { name: 'test', password: 'test' },
    { name: 'guest', password: 'a:b' },
  ]);
});

test.each(['a:secret,word', 'a:secret,:word', 'a:secret,b:'])(
  '[LOCAL1] an entry without a name or password (%s) is told by its place, since it may be a password',
  (text) => {
    expect(() => parseLocalUsers(text)).toThrow(/^local user 2 of 2 is not written NAME:PASSWORD$/);
  },
);

test('[LOCAL2] a right password, plain or as a bcrypt hash, and nothing else', async () => {
  const hash = await bcrypt.hash('secret', 4);
  const users = [...parseLocalUsers('plain:secret'), { name: 'hashed', password: hash }];
  for (const name of ['plain', 'hashed']) {
    expect(await checkPassword(users, name, 'secret')).toBe(true);
    expect(await checkPassword(users, name, 'wrong')).toBe(false);
    expect(await checkPassword(users, name, '')).toBe(false);
  }
  expect(await checkPassword(users, 'hashed', hash)).toBe(false);
  expect(await checkPassword(users, 'nobody', 'secret')).toBe(false);
  expect(await checkPassword(users, 'nobody', '')).toBe(false);
});

test('[LOCAL2] without any hash, too', async () => {
  const users = parseLocalUsers('plain:secret');
  expect(await checkPassword(users, 'plain', 'secret')).toBe(true);
  expect(await checkPassword(users, 'plain', 'wrong')).toBe(false);
  expect(await checkPassword(users, 'nobody', '')).toBe(false);
});
