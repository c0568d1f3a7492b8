import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadLocalUsers } from './local-users.ts';

let directory: TemporaryDirectory;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

const load = () => loadLocalUsers(undefined, [], directory.path);

test('[WEB9] without configured users there is one administrator, with the same password at every start', async () => {
  const first = await load();
  expect(first).toMatchObject({
    owners: ['admin'],
    users: [{ name: 'admin', password: expect.stringMatching(/^.{16}$/) }],
  });
  expect(await load()).toEqual(first);
});

test.each(['', '\n', 'short'])('[WEB9] web does not start with the password %j in its file', async (password) => {
  const file = join(directory.path, 'admin-password');
  await writeFile(file, password);
  const failure = await load().catch((error: Error) => error);
  expect(failure).toMatchObject({ name: 'WebError', code: 'bad-admin-password' });
  expect((failure as Error).message).toBe(
    `${file} does not hold a password of at least 8 characters. Write one into the file. Or remove the file: web makes a new password.`,
  );
});
