import bcrypt from 'bcryptjs';
import { expect, test } from 'vitest';
import { findLocalUser, type LocalUser, parseLocalUsers } from './local-users.ts';
import type { Comparison } from './password-thread.ts';

/** The users, and the comparisons with hashes that were made. */
function known(users: readonly LocalUser[]) {
  const comparisons: Comparison[] = [];
  const compare = (comparison: Comparison) => {
    comparisons.push(comparison);
    return bcrypt.compare(comparison.password, comparison.hash);
  };
  return { users, compare, comparisons };
}

test('[API-LOCAL1] a password may hold colons', () => {
  expect(parseLocalUsers('test:test,guest:a:b')).toEqual([
    { name: 'test', password: 'test' },
    { name: 'guest', password: 'a:b' },
  ]);
});

test.each(['a:secret,word', 'a:secret,:word', 'a:secret,b:'])(
  '[API-LOCAL1] the error for an entry without a name or password (%s) names its position and does not quote it',
  (text) => {
    expect(() => parseLocalUsers(text)).toThrow(/^local user 2 of 2 is not written NAME:PASSWORD$/);
  },
);

test('[API-LOCAL2] only the right password is accepted, plain or as a bcrypt hash', async () => {
  const hash = await bcrypt.hash('secret', 4);
  const users = known([...parseLocalUsers('plain:secret'), { name: 'hashed', password: hash }]);
  for (const name of ['plain', 'hashed']) {
    expect(await findLocalUser(users, name, 'secret')).toMatchObject({ name: name });
    expect(await findLocalUser(users, name, 'wrong')).toBeUndefined();
    expect(await findLocalUser(users, name, '')).toBeUndefined();
  }
  expect(await findLocalUser(users, 'hashed', hash)).toBeUndefined();
  expect(await findLocalUser(users, 'nobody', 'secret')).toBeUndefined();
  expect(await findLocalUser(users, 'nobody', '')).toBeUndefined();
  // Whatever the name, the answer takes one comparison with a hash of the same cost.
  expect(users.comparisons.map((each) => each.hash)).toEqual(Array.from({ length: 9 }, () => hash));
});

test('[API-LOCAL2] only the right password is accepted where no password is a hash', async () => {
  const users = known(parseLocalUsers('plain:secret'));
  expect(await findLocalUser(users, 'plain', 'secret')).toMatchObject({ name: 'plain' });
  expect(await findLocalUser(users, 'plain', 'wrong')).toBeUndefined();
  expect(await findLocalUser(users, 'nobody', '')).toBeUndefined();
});

test('[API-LOCAL3] a user is found by the name in any case', async () => {
  const users = known(parseLocalUsers('Ada:secret'));
  expect(await findLocalUser(users, 'aDA', 'secret')).toEqual({ name: 'Ada', password: 'secret' });
});

test('[API-LOCAL4] an empty password logs nobody in', async () => {
  const users = [
    { name: 'empty', password: '' },
    { name: 'hashed', password: await bcrypt.hash('', 4) },
  ];
  for (const some of [known(users), known(users.slice(0, 1))]) {
    for (const name of ['empty', 'hashed', 'nobody']) expect(await findLocalUser(some, name, '')).toBeUndefined();
  }
});
